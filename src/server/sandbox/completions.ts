import { clock, unixSeconds } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { type Generated, generate, reasoningTokensOf, type Token, usageOf } from "./generate.ts";
import type { Operation } from "./operation.ts";
import { jsonReply, type Step, send, streamReply } from "./reply.ts";
import { CompletionRequest, parseBody, textsOf } from "./request.ts";
import { hashText } from "./seeded.ts";
import { seededText, tokenize } from "./text.ts";

/** The legacy form: parallel lists, and a map from token to log probability for the alternatives. */
function logprobsOf(tokens: readonly Token[], offset: number, asked: number | null | undefined) {
  if (asked === null || asked === undefined) return null;
  let at = offset;
  const text_offset = tokens.map(({ text }) => {
    at += text.length;
    return at - text.length;
  });
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ alternatives }) =>
      Object.fromEntries(alternatives.map(({ text, logprob }) => [text, logprob])),
    ),
    text_offset,
  };
}

const reasoningOf = ({ reasoning }: Generated) => (reasoning.length ? { reasoning: reasoning.join("") } : {});

/** `POST /completions`. Each prompt gets `n` choices; their indexes continue. */
export const completions: Operation = (body, site) => {
  const request = parseBody(CompletionRequest, body);
  const prompts = textsOf(request.prompt);
  const each = request.n ?? 1;
  const tokenLists = prompts.map(tokenize);
  const cached = tokenLists.reduce(
    (sum, tokens) => sum + site.cache.read(`${site.name}/completions`, tokens),
    0,
  );
  const choices = prompts.flatMap((prompt, promptIndex) =>
    Array.from({ length: each }, (_, at) => {
      const index = promptIndex * each + at;
      const seed = (request.seed ?? hashText(prompt)) + index;
      return {
        prefix: request.echo ? prompt : "",
        generated: generate({
          index,
          seed,
          text: ` ${seededText(seed)}`,
          reasoningTokens: reasoningTokensOf(request),
          maxTokens: request.max_tokens,
          stop: request.stop,
          alternatives: request.logprobs ?? 0,
        }),
      };
    }),
  );
  const { usage, counted } = usageOf(
    tokenLists.reduce((sum, tokens) => sum + tokens.length, 0),
    cached,
    choices.map(({ generated }) => generated),
  );
  const head = {
    id: `cmpl-${uuidv7()}`,
    object: "text_completion",
    created: unixSeconds(clock.nowMs()),
    model: request.model,
    system_fingerprint: `sandbox-${site.name}`,
  };
  if (!request.stream) {
    const shaped = choices.map(({ prefix, generated }) => ({
      index: generated.index,
      text: prefix + generated.tokens.map(({ text }) => text).join(""),
      ...reasoningOf(generated),
      logprobs: logprobsOf(generated.tokens, prefix.length, request.logprobs),
      finish_reason: generated.finish,
    }));
    return jsonReply({ ...head, choices: shaped, usage }, counted);
  }
  const events = choices.flatMap(({ prefix, generated }): Step[] => {
    const { index, reasoning, tokens, finish } = generated;
    const event = (text: string, rest: object, count: number) =>
      send({ ...head, choices: [{ index, text, logprobs: null, finish_reason: null, ...rest }] }, count);
    let offset = prefix.length;
    return [
      ...(prefix ? [event(prefix, {}, 0)] : []),
      ...reasoning.map((piece) => event("", { reasoning: piece }, 1)),
      ...tokens.map((token) => {
        const logprobs = logprobsOf([token], offset, request.logprobs);
        offset += token.text.length;
        return event(token.text, { logprobs }, 1);
      }),
      event("", { finish_reason: finish }, 0),
    ];
  });
  if (request.stream_options?.include_usage) events.push(send({ ...head, choices: [], usage }));
  return streamReply(events, counted);
};
