import type { FaultName } from "#server/sandbox/index.ts";

type Site = "fr" | "de" | "us";
/** A fault as the sandbox reads it: its name, perhaps with a number, such as `cut:3`. */
type FaultText = FaultName | `${FaultName}:${number}`;

/** From the cheapest to the dearest, the order in which the router asks. */
const prices: Record<Site, { input: string; output: string }> = {
  fr: { input: "1", output: "1" },
  de: { input: "2", output: "2" },
  us: { input: "3", output: "3" },
};

/**
 * A catalogue overlay with one model per name, served by the sandbox in the order fr, de, us; a site's fault
 * stands in its upstream model's name. `test/name` is the model.
 */
export function faultyModels(models: Record<string, Partial<Record<Site, FaultText | "ok">>>) {
  return {
    models: Object.keys(models).map((name) => ({ id: `test/${name}`, context_length: 131_072 })),
    endpoints: Object.entries(models).flatMap(([name, sites]) =>
      Object.entries(sites).map(([site, fault]) => ({
        provider: `sandbox-${site}`,
        model: `test/${name}`,
        upstream_model: fault === "ok" ? "sandbox/chat" : `sandbox/chat!${fault}`,
        price: { currency: "EUR", ...prices[site as Site] },
      })),
    ),
  };
}
