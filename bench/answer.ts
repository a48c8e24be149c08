/** What the echo upstream answers and the load driver looks for: about 400 bytes, as a small completion has. */
export const marker = "the-answer-of-the-echo";
const words = `${marker} and some more words that make the answer as long as short answers are`;
const head = { id: "cmpl-echo", object: "text_completion", created: 1_700_000_000, model: "echo" };
const usage = { prompt_tokens: 8, completion_tokens: 16, total_tokens: 24 };

const choice = (text: string, finish_reason: string | null) => ({
  index: 0,
  text,
  logprobs: null,
  finish_reason,
});

export const answer = JSON.stringify({
  ...head,
  system_fingerprint: "echo-1",
  choices: [choice(words, "stop")],
  usage: { ...usage, prompt_tokens_details: { cached_tokens: 0 } },
});

/** One event with the head every answer has. */
export const event = (body: object) => `data: ${JSON.stringify({ ...head, ...body })}\n\n`;

/** The same answer as events, one word each. */
export const events = [
  ...words.split(" ").map((word) => event({ choices: [choice(`${word} `, null)] })),
  event({ choices: [choice("", "stop")] }),
  event({ choices: [], usage }),
  "data: [DONE]\n\n",
];

/** What every body must hold; anything else makes a run invalid. */
export const expected = {
  complete: [marker, '"completion_tokens":16'],
  stream: [marker, "[DONE]"],
} as const;
export type Mode = keyof typeof expected;

/** The request that every subject gets but for the model's name. */
export const requestBody = (model: string, mode: Mode): string =>
  JSON.stringify({
    model,
    prompt: "Say something that an echo would say.",
    max_tokens: 16,
    ...(mode === "stream" ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
