import { expect, test } from "vitest";
import type { EntrySection } from "#contract/catalogue-entry.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { buildCatalogue } from "./build.ts";
import { laidOver } from "./catalogues.ts";
import type { JsonFields } from "./evidence.ts";
import { nameOf } from "./overlay.ts";

const price = (input: string) => ({ currency: "EUR", input, output: "3" });
const endpoint = { provider: "shared", model: "lab/one" };
const id = "shared:lab/one";
const base = buildCatalogue(
  [
    {
      file: "shipped",
      content: {
        ...{ schema: "portolan-catalogue/1", as_of: "2026-11-01", sources: {} },
        exchange_rates: [{ pair: "EUR/USD", rate: "1.1", date: "2026-11-01", source: "test" }],
        providers: [{ slug: "shared", name: "Shared", base_url: "https://shared.example/v1" }],
        models: [{ id: "lab/one" }],
        endpoints: [{ ...endpoint, price: price("2") }],
      },
    },
  ],
  {},
);

/** Whether the endpoint below is still used, and the problem of an entry about it. */
function laid(orgId: string | null, section: EntrySection, body: JsonFields) {
  const row = {
    ...{ id: uuidv7(), section, name: nameOf(section, body) ?? "", body },
    ...{ enabled: true, source: null, asOf: null },
  };
  const scope = orgId === null ? "installation" : "organisation";
  const { catalogue, problems } = laidOver(base, { scope, orgId, version: "1", rows: [row] });
  return { problem: problems.get(row.id), isUsed: catalogue.endpoints.has(id) };
}

test.each<[string, string | null, EntrySection, JsonFields, string]>([
  [
    "a price above a limit",
    null,
    "endpoint",
    { ...endpoint, price: price("2000000") },
    `price.input: must be at most 1000000. Until this is corrected, ${id} is not used`,
  ],
  [
    "facts of an organisation",
    uuidv7(),
    "provider",
    { slug: "shared", retention_days: "long" },
    "shared is not used",
  ],
  [
    "an own provider of the same name",
    uuidv7(),
    "provider",
    { slug: "shared", base_url: 7 },
    "shared is not used",
  ],
])(
  "%s that cannot be read closes what it would change, as nobody knows what applies",
  (_, orgId, section, body, problem) => {
    expect(laid(orgId, section, body)).toEqual({ problem: expect.stringContaining(problem), isUsed: false });
  },
);

test.each<[string, string | null, EntrySection, JsonFields]>([
  ["a model's names decide nothing", null, "model", { id: "lab/one", aliases: 7 }],
  [
    "an organisation may not change the price",
    uuidv7(),
    "endpoint",
    { ...endpoint, price: price("2000000") },
  ],
])("an entry that changes nothing closes nothing: %s", (_, orgId, section, body) => {
  expect(laid(orgId, section, body)).toEqual({ problem: expect.any(String), isUsed: true });
});
