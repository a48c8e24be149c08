import { isRequirement } from "#contract/parameter-classes.ts";
import { limits } from "#server/platform/limits.ts";
import type { Json } from "../wires/shared/json.ts";
import type { ParameterChanges } from "./changes.ts";

/** Fields that endpoints have refused although no table says so. They are left out for a while. */
export interface RefusedFields {
  /** The fields to leave out at an endpoint; undefined if there are none. */
  of(measuredAs: string): ReadonlySet<string> | undefined;
  /** Remembers a field. Returns whether it may be left out. */
  refused(measuredAs: string, name: string): boolean;
}

/** Without these there is no request, or an answer may be longer than its hold covers. */
const needed: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "prompt",
  "input",
  "system",
  "instructions",
  "text",
  "query",
  "documents",
  "dimensions",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "stream",
  "stream_options",
]);

/** Removes the fields that an endpoint has refused from a body, and reports them. */
export function leaveOut(
  refused: ReadonlySet<string> | undefined,
  body: Json,
  changes: ParameterChanges,
): void {
  for (const name of refused ?? [])
    if (Object.hasOwn(body, name)) {
      delete body[name];
      changes.drop(name);
    }
}

/** `nowMs` is the monotonic clock. */
export function createRefusedFields(nowMs: () => number): RefusedFields {
  const { rememberMs, fieldsMax } = limits.upstream.refusedFields;
  const known = new Map<string, { readonly names: Set<string>; untilMs: number }>();
  const current = (measuredAs: string) => {
    const entry = known.get(measuredAs);
    if (!entry || nowMs() < entry.untilMs) return entry;
    known.delete(measuredAs);
    return undefined;
  };
  return {
    // Without any entry, which is the usual case, nothing is looked up.
    of: (measuredAs) => (known.size === 0 ? undefined : current(measuredAs)?.names),
    refused(measuredAs, name) {
      // A nested field, or one without which the answer would be another one, is never left out.
      if (isRequirement(name) || needed.has(name) || !/^\w+$/.test(name)) return false;
      const entry = current(measuredAs) ?? { names: new Set<string>(), untilMs: nowMs() + rememberMs };
      if (!entry.names.has(name) && entry.names.size >= fieldsMax) return false;
      entry.names.add(name);
      known.set(measuredAs, entry);
      return true;
    },
  };
}
