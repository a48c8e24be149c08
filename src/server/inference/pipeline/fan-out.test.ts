import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generating } from "#server/platform/batches.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import type { Exchange, Upstream } from "../providers/kind.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import { fanOut } from "./fan-out.ts";

const exchange = exchangeWith(new Outbound(allowedHosts([])), {});

/** Returns each prompt's words; streams them word by word, with the usage so far in every event. */
interface Script {
  readonly words: readonly string[];
  readonly n: number;
}
const usageOf = (words: number) => ({
  prompt_tokens: 1,
  completion_tokens: words,
  total_tokens: 1 + words,
  completion_tokens_details: { reasoning_tokens: words },
});
const choicesOf = (n: number, rest: object) => Array.from({ length: n }, (_, index) => ({ index, ...rest }));
const scriptOf = ({ body }: Exchange) => body.script as Script;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const scripted: Upstream = {
  async complete(of) {
    await turn();
    const { words, n } = scriptOf(of);
    return {
      choices: choicesOf(n, { message: { content: words.join(" ") }, finish_reason: "stop" }),
      usage: usageOf(words.length),
    };
  },
  stream: generating(async function* (of) {
    const { words, n } = scriptOf(of);
    for (const [at, word] of words.entries()) {
      await turn();
      yield [
        { choices: choicesOf(n, { delta: { content: word }, finish_reason: null }), usage: usageOf(at) },
      ];
    }
    yield [{ choices: choicesOf(n, { delta: {}, finish_reason: "stop" }), usage: usageOf(words.length) }];
  }),
};

async function read(upstream: Upstream): Promise<{ events: Json[] }> {
  const stream = upstream.stream(exchange);
  const events: Json[] = [];
  for (;;) {
    const { value, done } = await stream.next();
    if (done) return { events };
    events.push(...value.filter(isJson));
  }
}
type Choice = { index: number; delta: { content?: string }; message: { content: string } };
const choicesIn = ({ choices }: Json): Choice[] => choices as Choice[];

const scripts = fc.integer({ min: 1, max: 3 }).chain((n) =>
  fc.array(fc.record({ words: fc.array(fc.constantFrom("a", "b"), { minLength: 1 }), n: fc.constant(n) }), {
    minLength: 2,
    maxLength: 20,
  }),
);
const over = (all: readonly Script[], upstream = scripted) =>
  fanOut(
    upstream,
    all.map((script) => ({ n: script.n, script })),
  );
const total = (all: readonly Script[]) => {
  const words = all.reduce((sum, script) => sum + script.words.length, 0);
  return {
    prompt_tokens: all.length,
    completion_tokens: words,
    total_tokens: all.length + words,
    completion_tokens_details: { reasoning_tokens: words },
  };
};

describe("several bodies instead of one", () => {
  test("complete answers: every body's choices have their own numbers, and the usage is added up", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (all) => {
        const answer = (await over(all).complete(exchange)) as Json;
        expect(choicesIn(answer).map(({ index, message }) => [index, message.content])).toEqual(
          all
            .flatMap(({ words, n }) => Array.from({ length: n }, () => words.join(" ")))
            .map((text, index) => [index, text]),
        );
        expect(answer.usage).toEqual(total(all));
      }),
      { numRuns: 50 },
    );
  });

  test("streamed answers: every choice gets its own words in order, and one usage comes last", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (all) => {
        const { events } = await read(over(all));
        const said = new Map<number, string[]>();
        for (const event of events) {
          for (const { index, delta } of choicesIn(event))
            said.set(index, [...(said.get(index) ?? []), ...(delta.content ? [delta.content] : [])]);
        }
        const wanted = all.flatMap(({ words, n }) => Array.from({ length: n }, () => [...words]));
        expect([...said].sort(([a], [b]) => a - b).map(([, words]) => words)).toEqual(wanted);
        expect(events.filter(({ usage }) => usage !== undefined)).toEqual([
          { choices: [], usage: total(all) },
        ]);
      }),
      { numRuns: 50 },
    );
  });

  test("if one body has no usage, there is none at all", async () => {
    const silent: Upstream = {
      ...scripted,
      async complete(of) {
        const answer = (await scripted.complete(of)) as Json;
        return scriptOf(of).words.length === 2 ? { ...answer, usage: undefined } : answer;
      },
    };
    const all = [["a"], ["a", "b"], ["b"]].map((words) => ({ words, n: 1 }));
    expect(await over(all, silent).complete(exchange)).toMatchObject({ usage: undefined });
  });

  test("an answer without choices fails all of them, as it would alone", async () => {
    const empty: Upstream = {
      ...scripted,
      async complete(of) {
        const answer = (await scripted.complete(of)) as Json;
        return scriptOf(of).words.length === 2 ? { ...answer, choices: [] } : answer;
      },
    };
    const all = [["a"], ["a", "b"]].map((words) => ({ words, n: 1 }));
    await expect(over(all, empty).complete(exchange)).rejects.toThrow("no content");
  });

  test("the first failure is the answer, and closes all other connections", async () => {
    const closed: number[] = [];
    const failing = (script: Script): boolean => script.words[0] === "fails";
    const hanging: Upstream = {
      async complete(of) {
        if (failing(scriptOf(of))) throw new Error("refused");
        return new Promise((_, reject) => {
          of.signal.addEventListener("abort", () => {
            closed.push(scriptOf(of).n);
            reject(new Error("given up"));
          });
        });
      },
      stream: generating(async function* (of) {
        yield [await hanging.complete(of)];
      }),
    };
    const all = [
      { words: ["hangs"], n: 1 },
      { words: ["hangs"], n: 1 },
      { words: ["fails"], n: 1 },
    ];
    await expect(over(all, hanging).complete(exchange)).rejects.toThrow("refused");
    expect(closed).toHaveLength(2);
    await expect(read(over(all, hanging))).rejects.toThrow("refused");
    expect(closed).toHaveLength(4);
  });

  test("a stream that ends before its choices are finished fails all of them", async () => {
    const cut: Upstream = {
      ...scripted,
      stream: generating(async function* (of) {
        const stream = scripted.stream(of);
        if (scriptOf(of).words.length > 1) yield* stream;
        else yield [{ choices: choicesOf(1, { delta: { content: "a" }, finish_reason: null }) }];
      }),
    };
    const all = [["a", "b"], ["a"]].map((words) => ({ words, n: 1 }));
    await expect(read(over(all, cut))).rejects.toThrow("before it was complete");
  });
});
