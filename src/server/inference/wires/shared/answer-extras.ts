import { malformed } from "#server/inference/pipeline/failures.ts";
import { limits } from "#server/platform/limits.ts";
import type { Json } from "./json.ts";

/**
 * Members of an answer that are ours, or name the provider's own records: they do not pass. `__proto__` is a name
 * that JSON can have and an object cannot be given.
 */
const answerMembers: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "provider",
  "system_fingerprint",
  "choices",
  "usage",
  "cost",
  "error",
  "request_id",
  "response_id",
  "generation_id",
  "x_groq",
  "__proto__",
]);

/** Members of a choice that are read one by one. */
const choiceMembers: ReadonlySet<string> = new Set([
  "index",
  "finish_reason",
  "native_finish_reason",
  "logprobs",
  "message",
  "delta",
  "text",
  "reasoning",
  "error",
  "__proto__",
]);

/** Members with a value that only the provider knows; null without any. Throws `AttemptError` for too many. */
export type FindExtras = (value: object) => Json | null;

function extrasFinder(known: ReadonlySet<string>): FindExtras {
  // Nearly all answers and chunks have the names of the last one: to compare them is faster than to look each one up.
  let plain: readonly string[] = [];
  const isPlain = (value: object): boolean => {
    let at = 0;
    for (const name in value) if (name !== plain[at++]) return false;
    return at === plain.length;
  };
  return <Value extends object>(value: Value) => {
    if (isPlain(value)) return null;
    let extras: Json | null = null;
    let count = 0;
    const names: string[] = [];
    for (const name in value) {
      if (known.has(name)) {
        names.push(name);
        continue;
      }
      if (++count > limits.upstream.partsMax) throw malformed("it has too many members", 200);
      if (value[name] == null) continue;
      extras ??= {};
      extras[name] = value[name];
    }
    if (count === 0) plain = names;
    return extras;
  };
}

/** For answers and their chunks. */
export const answerExtras: FindExtras = extrasFinder(answerMembers);

/** For choices. */
export const choiceExtras: FindExtras = extrasFinder(choiceMembers);

/** For objects whose known members are these. */
export const extrasBeside = (known: readonly string[]): FindExtras =>
  extrasFinder(new Set([...known, "__proto__"]));
