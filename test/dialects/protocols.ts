// Streams of providers who speak OpenAI's three protocols, written piece by piece.

/** One protocol a provider may stream in: how it says a text, its end, and what it used. */
export interface Protocol {
  readonly text: (text: string) => string;
  readonly end: (reason: string) => string;
  readonly usage: string;
}
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const done = "data: [DONE]\n\n";
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };

export const chatChunks: Protocol = {
  text: (content) =>
    event({
      id: "c",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    }),
  end: (finish_reason) =>
    event({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason }] }),
  usage: event({ id: "c", created: 1, model: "m", choices: [], usage }),
};
export const textChunks: Protocol = {
  text: (text) => event({ choices: [{ index: 0, text, finish_reason: null }] }),
  end: (finish_reason) => event({ choices: [{ index: 0, text: "", finish_reason }] }),
  usage: event({ choices: [], usage }),
};
const item = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
export const responseEvents: Protocol = {
  text: (text) =>
    event({ type: "response.output_item.added", output_index: 0, item: { ...item(""), content: [] } }) +
    event({
      type: "response.content_part.added",
      output_index: 0,
      content_index: 0,
      item_id: "msg_1",
      part: { type: "output_text", text: "", annotations: [] },
    }) +
    event({
      type: "response.output_text.delta",
      output_index: 0,
      content_index: 0,
      item_id: "msg_1",
      delta: text,
    }),
  end: (reason) =>
    event({
      type: reason === "length" ? "response.incomplete" : "response.completed",
      response: {
        object: "response",
        status: reason === "length" ? "incomplete" : "completed",
        error: null,
        output: [],
        usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
      },
    }),
  usage: "",
};
