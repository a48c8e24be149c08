import type { Exclusion, Refusal, SetBy } from "#contract/exclusion.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { hardFields, hardNames, type Moment } from "./fields.ts";
import type { Layer } from "./layer.ts";

/** One field of one layer that is set, ready to be asked of endpoint after endpoint. */
interface Check {
  readonly name: (typeof hardNames)[number];
  readonly layer: Layer;
}

/** The tests all layers together ask for. Equal wishes of many layers are asked once, of the widest. */
export function compileChecks(layers: readonly Layer[]): readonly Check[] {
  const checks: Check[] = [];
  for (const name of hardNames) {
    const asked = new Set<string>();
    for (const layer of layers) {
      const value = layer.preferences[name];
      if (value == null) continue;
      const key = JSON.stringify(value);
      if (asked.has(key)) continue;
      asked.add(key);
      checks.push({ name, layer });
    }
  }
  return checks;
}

/** Every reason why an endpoint is refused; empty when it is admitted. */
export function refusals(endpoint: Endpoint, checks: readonly Check[], moment: Moment): Refusal[] {
  const found: Refusal[] = [];
  for (const { name, layer } of checks) {
    const mismatch = hardFields[name].mismatch(endpoint, layer.preferences, moment);
    if (!mismatch) continue;
    const { wanted, actual, fact, wouldAdmit } = mismatch;
    found.push({
      field: name,
      wanted,
      actual,
      ...(fact && { reason: fact }),
      set_by: layer.setBy,
      would_admit: wouldAdmit,
    });
  }
  return found;
}

const installation: SetBy = { scope: "installation" };

/** A reason no wish can change: the endpoint cannot serve anybody, or not this kind of request. */
export const unusableBecause = (field: string, wanted: unknown, actual: unknown): Refusal => ({
  field,
  wanted,
  actual,
  set_by: installation,
});

const wordOf = (field: string): string =>
  Object.hasOwn(hardFields, field) ? hardFields[field as keyof typeof hardFields].word : field;

/** The exclusion a list of reasons makes; the first one stands for all. */
export function exclusion(endpoint: Endpoint, reasons: readonly [Refusal, ...Refusal[]]): Exclusion {
  return {
    provider: endpoint.provider.slug,
    endpoint: endpoint.id,
    excluded_by: wordOf(reasons[0].field),
    ...reasons[0],
    refusals: [...reasons],
  };
}
