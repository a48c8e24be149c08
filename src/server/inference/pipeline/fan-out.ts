import { type Batches, generating } from "#server/platform/batches.ts";
import type { Exchange, Upstream } from "../providers/kind.ts";
import { finishReason } from "../wires/shared/choices.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import { malformed } from "./failures.ts";

/** Adds up numbers of the same name at any depth; of other values the first one is used. */
function added(one: unknown, other: unknown): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (!isJson(one) || !isJson(other)) return one ?? other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, added(one[name], other[name])]));
}

const isTold = (usage: unknown): usage is Json =>
  isJson(usage) && Object.values(usage).some((figure) => typeof figure === "number");

/** The total usage; unknown as soon as one body has none. */
const totalOf = (usages: readonly unknown[]): unknown =>
  usages.every(isTold) ? usages.reduce<unknown>(added, undefined) : undefined;

/** The choices of one body, at most `each`, under their numbers among those of all bodies. */
function numbered(value: unknown, first: number, each: number): Json & { readonly choices: readonly Json[] } {
  if (!isJson(value) || !Array.isArray(value.choices)) throw malformed("it has no choices", 200);
  if (value.choices.length > each) throw malformed("it has more choices than were asked for", 200);
  const choices = value.choices.map((choice: unknown, at) => {
    if (!isJson(choice)) throw malformed("a choice cannot be read", 200);
    const { index = at } = choice;
    if (typeof index !== "number" || index < 0 || index >= each)
      throw malformed("it has more choices than were asked for", 200);
    return { ...choice, index: first + index };
  });
  return { ...value, choices };
}

const isFinished = ({ choices }: Json): boolean =>
  Array.isArray(choices) &&
  choices.some((choice) => isJson(choice) && finishReason(choice.finish_reason) !== null);

/**
 * An upstream that is sent several bodies instead of one, where the operation accepts less at a time: choices are
 * renumbered, usage is added up. The first failure ends all of them.
 */
export function fanOut(upstream: Upstream, bodies: readonly Json[]): Upstream {
  const each = typeof bodies[0]?.n === "number" ? bodies[0].n : 1;

  async function complete(exchange: Exchange): Promise<unknown> {
    const over = new AbortController();
    const signal = AbortSignal.any([exchange.signal, over.signal]);
    const ask = async (body: Json, at: number) => {
      const answer = numbered(await upstream.complete({ ...exchange, body, signal }), at * each, each);
      if (answer.choices.length === 0) throw malformed("it has no content", 200);
      return answer;
    };
    try {
      const answers = await Promise.all(bodies.map(ask));
      const choices = answers.flatMap((answer) => answer.choices);
      return { ...answers[0], choices, usage: totalOf(answers.map(({ usage }) => usage)) };
    } finally {
      over.abort();
    }
  }

  async function* stream(exchange: Exchange): AsyncGenerator<readonly unknown[], void, undefined> {
    const over = new AbortController();
    const signal = AbortSignal.any([exchange.signal, over.signal]);
    const streams = bodies.map((body) => upstream.stream({ ...exchange, body, signal }));
    const next = new Map<number, Promise<{ at: number; result: IteratorResult<readonly unknown[], void> }>>();
    const usages: unknown[] = bodies.map(() => undefined);
    const finished = new Set<number>();
    const ask = (events: Batches<unknown>, at: number) => {
      const asked = events.next().then((result) => ({ at, result }));
      // Later failures are ignored.
      asked.catch(() => {});
      next.set(at, asked);
    };
    try {
      for (const [at, events] of streams.entries()) ask(events, at);
      while (next.size > 0) {
        const { at, result } = await Promise.race(next.values());
        next.delete(at);
        if (result.done) {
          if (!finished.has(at)) throw malformed("it ended before it was complete", 200);
          continue;
        }
        const events = result.value.filter(isJson).map(({ usage, ...event }) => {
          usages[at] = usage ?? usages[at];
          if (isFinished(event)) finished.add(at);
          return numbered({ ...event, choices: event.choices ?? [] }, at * each, each);
        });
        ask(streams[at] as Batches<unknown>, at);
        yield events;
      }
      yield [{ choices: [], usage: totalOf(usages) }];
    } finally {
      over.abort();
      await Promise.allSettled(streams.map((events) => events.return()));
    }
  }

  return { complete, stream: generating(stream) };
}
