// What happened to one field of a request on its way to a provider.
import { isDeepStrictEqual } from "node:util";
import type { Mock } from "#test/providers/mock.ts";
import type { Judged } from "#test/providers/serve.ts";
import { isJson, type Json } from "#test/providers/shape.ts";
import type { Sent } from "./samples.ts";

/**
 * `sent`: the provider gets the value. `translated`: it gets it in another form, or Portolan does it. `clamped`: it gets its nearest value.
 * `dropped`: it does not get it, and the answer's headers say so. `refused`: the client gets an error that names the
 * field. The rest are faults: `lost` without a word, `refused without a name`, `rejected` by the provider.
 */
export type Outcome =
  | "sent"
  | "translated"
  | "clamped"
  | "dropped"
  | "refused"
  | "lost"
  | "refused without a name"
  | "rejected";
export const faults: ReadonlySet<Outcome> = new Set(["lost", "refused without a name", "rejected"]);

/** What one request came to: an answer's headers, or the error in its place. */
export interface Came {
  readonly headers: Readonly<Record<string, string>> | null;
  /** With the parameter that it is about. */
  readonly error: string | null;
  readonly judged: readonly Judged[];
}

/** The names that chat has for fields of other operations: what carries them reports them so. */
const inChat: Readonly<Record<string, readonly string[]>> = {
  reasoning: ["reasoning_effort"],
  thinking: ["reasoning", "reasoning_effort"],
  text: ["response_format"],
  output_config: ["response_format"],
  include: ["logprobs"],
  top_logprobs: ["logprobs"],
  stop_sequences: ["stop"],
  function_call: ["tool_choice"],
  metadata: ["user"],
};

const names = (header: string | undefined): string[] => header?.split(",") ?? [];

/** Whether a value is somewhere in another. */
const holds = (where: unknown, value: unknown): boolean =>
  isDeepStrictEqual(where, value) ||
  (Array.isArray(where) && where.some((one) => holds(one, value))) ||
  (isJson(where) && Object.values(where).some((one) => holds(one, value)));

/** The members that are different from another body's, at the top. */
const difference = (body: Json, from: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => !isDeepStrictEqual(value, from[name])));

/** Stands for all fields that are not in our schemas; what a lenient provider does with them is its own affair. */
export const unknownField = "x_unknown";

/** Whether a lenient provider reads any of these members. */
const hasEffect = (changed: Json, { reads }: Mock): boolean =>
  reads === undefined || Object.keys(changed).some((name) => reads.has(name));

/** `without` is what the same request came to without the field. */
export function outcomeOf(field: string, sample: Sent, mock: Mock, came: Came, without: Came): Outcome {
  const { headers, error, judged } = came;
  const last = judged.at(-1);
  // A field that needs another one may be refused for it.
  const ownNames = [field, ...(inChat[field] ?? [])];
  const named = [...ownNames, ...Object.keys(sample.with ?? {})].some((name) => error?.includes(name));
  if (!last) return named ? "refused" : "refused without a name";
  if (last.refusal || !headers) return "rejected";
  const reported = (header: string) => names(headers[`x-portolan-${header}-params`]);
  const isField = (name: string) => ownNames.some((own) => name === own || name.startsWith(`${own}.`));
  if (reported("dropped").some(isField)) return "dropped";
  if (reported("clamped").includes(field)) return "clamped";
  const before = without.judged.at(-1);
  const changed = { ...difference(last.body, before?.body ?? {}) };
  const removed = Object.keys(before?.body ?? {}).some((name) => !(name in last.body));
  if (Object.keys(changed).length === 0 && !removed) return sample.ours ? "translated" : "lost";
  if (field !== unknownField && last.api === "chat" && !removed && !hasEffect(changed, mock)) return "lost";
  if (reported("translated").some((one) => one.startsWith(`${field}>`) || one.startsWith(`${field}.`)))
    return "translated";
  return holds(changed, sample.value) ? "sent" : "translated";
}
