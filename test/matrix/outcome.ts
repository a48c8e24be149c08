// What happened to one field of a request on its way to a provider.
import { isDeepStrictEqual } from "node:util";
import { heard } from "#test/providers/heard.ts";
import type { Mock } from "#test/providers/mock.ts";
import type { Judged } from "#test/providers/serve.ts";
import { isJson, type Json } from "#test/providers/shape.ts";
import type { Nested } from "./nested.ts";
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
  reasoning_effort: ["reasoning"],
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

/** A body without what has no effect at its provider. */
function readOf({ body, api }: Judged, { reads }: Mock): Json {
  const members = api === null ? undefined : reads?.[api];
  return members ? heard(body, members) : body;
}

/** What is looked for in what became of a request. */
interface Wanted {
  /** The names by which reports and errors may call it. */
  readonly names: readonly string[];
  /** Further names, for errors only. */
  readonly inErrors: readonly string[];
  readonly value: unknown;
  readonly ours: boolean;
}

function judged(
  { names: own, inErrors, value, ours }: Wanted,
  mock: Mock,
  came: Came,
  without: Came,
): Outcome {
  const { headers, error, judged } = came;
  const last = judged.at(-1);
  const isMedium = /support .*(image|audio|file|video).* input/.test(error ?? "");
  if (!last && isMedium) return "refused";
  if (!last)
    return [...own, ...inErrors].some((name) => error?.includes(name)) ? "refused" : "refused without a name";
  // What only the client knows goes to a provider of the same API as it came, and is refused there by its name.
  if (last.refusal && own[0]?.endsWith(unknownField) && JSON.stringify(last.refusal).includes(unknownField))
    return "refused";
  // Portolan may try again without a field; that the provider was asked for it is a fault nevertheless.
  if (!headers || judged.some(({ refusal }) => refusal)) return "rejected";
  const reported = (header: string) => names(headers[`x-portolan-${header}-params`]);
  const usual = without.headers ?? {};
  /** Reported of this request, and not of the one without. */
  const isNew = (header: string, name: string) => !names(usual[`x-portolan-${header}-params`]).includes(name);
  const isField = (name: string) => own.some((one) => name === one || name.startsWith(`${one}.`));
  const isInside = (name: string) => own[0]?.startsWith(`${name}.`) ?? false;
  const dropped = reported("dropped");
  if (dropped.some((name) => isInside(name) || (isField(name) && isNew("dropped", name)))) return "dropped";
  if (reported("clamped").some(isField)) return "clamped";
  // What a lenient provider does with what is in no schema is its own affair.
  const read = (one: Judged) => (own[0]?.endsWith(unknownField) ? one.body : readOf(one, mock));
  const before = without.judged.at(-1);
  const [sent, body] = [read(last), before ? read(before) : {}];
  const changed = difference(sent, body);
  const removed = Object.keys(body).some((name) => !(name in sent));
  if (Object.keys(changed).length === 0 && !removed) return ours ? "translated" : "lost";
  if (
    reported("translated").some(
      (one) => own[0] && (one.startsWith(`${own[0]}>`) || one.startsWith(`${own[0]}.`)),
    )
  )
    return "translated";
  return holds(changed, value) ? "sent" : "translated";
}

/** `without` is what the same request came to without the field. */
export const outcomeOf = (field: string, sample: Sent, mock: Mock, came: Came, without: Came): Outcome =>
  judged(
    {
      names: [field, ...(inChat[field] ?? [])],
      // A field that needs another one may be refused for it.
      inErrors: Object.keys(sample.with ?? {}),
      value: sample.value,
      ours: sample.ours ?? false,
    },
    mock,
    came,
    without,
  );

/** The same for what is inside a field. */
export function nestedOutcome(
  { field, value, ours, alsoNamed }: Nested,
  mock: Mock,
  came: Came,
  without: Came,
) {
  const path = field.replace(/ \(.*$/, "");
  const [top = path] = path.split(".");
  const leaf = path.slice(path.lastIndexOf(".") + 1);
  return judged(
    {
      names: [path, ...(leaf === "cache_control" ? [leaf] : []), ...(alsoNamed ?? [])],
      inErrors: [top],
      value,
      ours: ours ?? false,
    },
    mock,
    came,
    without,
  );
}
