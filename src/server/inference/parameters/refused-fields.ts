import { isRequirement } from "#contract/parameter-classes.ts";
import { limits } from "#server/platform/limits.ts";

/** Fields that endpoints have refused although no table says so. They are left out for a while. */
export interface RefusedFields {
  /** The fields to leave out at an endpoint; undefined if there are none. */
  of(endpointId: string): ReadonlySet<string> | undefined;
  /** Remembers a field. Returns whether it may be left out. */
  refused(endpointId: string, name: string): boolean;
}

/** `nowMs` is the monotonic clock. */
export function createRefusedFields(nowMs: () => number): RefusedFields {
  const { rememberMs, fieldsMax } = limits.upstream.refusedFields;
  const known = new Map<string, { readonly names: Set<string>; untilMs: number }>();
  const current = (endpointId: string) => {
    const entry = known.get(endpointId);
    if (!entry || nowMs() < entry.untilMs) return entry;
    known.delete(endpointId);
    return undefined;
  };
  return {
    // Without any entry, which is the usual case, nothing is looked up.
    of: (endpointId) => (known.size === 0 ? undefined : current(endpointId)?.names),
    refused(endpointId, name) {
      // A nested field, or one without which the answer would be another one, is never left out.
      if (isRequirement(name) || !/^\w+$/.test(name)) return false;
      const entry = current(endpointId) ?? { names: new Set<string>(), untilMs: nowMs() + rememberMs };
      if (!entry.names.has(name) && entry.names.size >= fieldsMax) return false;
      entry.names.add(name);
      known.set(endpointId, entry);
      return true;
    },
  };
}
