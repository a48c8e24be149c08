import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { PriceFigures, PriceVersion } from "#contract/price-book.ts";
import { renderConsole } from "#test/console/render.tsx";
import { never, Refusal, requestId } from "#test/console/server.ts";
import { atNoon } from "#test/console/time.ts";
import { PriceHistoryScreen } from "./price-history-screen.tsx";

atNoon();

const endpoint = "alpha/eu:m/one";
const free: PriceFigures = {
  input: "0.000000000000",
  output: "0.000000000000",
  cached_input: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
  per_request: "0.000000000000",
  per_1k_searches: null,
};
const version = (more: Partial<PriceVersion>): PriceVersion => ({
  ...free,
  endpoint,
  version: "a1",
  valid_from: null,
  valid_until: null,
  current: false,
  origin: "catalogue",
  currency: "EUR",
  tiers: [],
  eur: free,
  sources: [],
  as_of: null,
  changes: [],
  problem: null,
  ...more,
});
const first = version({
  input: "1.000000000000",
  output: "2.000000000000",
  eur: { ...free, input: "1.000000000000", output: "2.000000000000" },
  valid_until: "2026-11-01T00:00:00.000Z",
});
const second = version({
  version: "b2",
  valid_from: "2026-11-01T00:00:00.000Z",
  current: true,
  origin: "price_book",
  currency: "USD",
  input: "1.250000000000",
  output: "2.000000000001",
  eur: { ...free, input: "1.072961000000", output: "1.716738000001" },
  sources: [{ title: "Price list", url: "https://alpha.example/prices" }],
  as_of: "2026-10-30",
  changes: [
    { figure: "currency", before: "EUR", after: "USD" },
    { figure: "input", before: "1.000000000000", after: "1.250000000000" },
  ],
});

type Versions = readonly PriceVersion[] | Refusal;
function show(versions: Versions | "loading", { search = `?endpoint=${endpoint}`, total = 0 } = {}) {
  return renderConsole(<PriceHistoryScreen />, {
    search,
    pathname: "/models/prices",
    answers: {
      prices: {
        history: () => {
          if (versions === "loading") return never();
          if (versions instanceof Refusal) throw versions;
          return {
            data: [...versions],
            total_count: total || versions.length,
            exchange_rate: { usd_per_eur: "1.1650", date: "2026-11-19" },
          };
        },
      },
    },
  });
}

/** The texts of the cells, row by row, the newest price first. */
async function rows(): Promise<(string | null)[][]> {
  await waitFor(() =>
    expect(screen.getByRole("region", { name: "Prices" }).getAttribute("aria-busy")).toBe("false"),
  );
  return within(screen.getByRole("table", { name: "Prices" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent));
}

describe("the history of an endpoint", () => {
  test("is asked for by the URL, and leads back to the other providers of its model", async () => {
    const { server } = show([first]);
    await rows();
    expect(server.inputsOf("prices.history")).toEqual([{ endpoint, limit: "100" }]);
    expect(screen.getByRole("link", { name: "Other providers" }).getAttribute("href")).toBe(
      "/models?open=m%2Fone",
    );
    expect(screen.getByText(/Converted at 1.1650 USD per EUR of 19 Nov 2026/)).toBeDefined();
  });

  test("has every price with its period, its changes and its source", async () => {
    show([second, first]);
    const [newer, older] = await rows();
    expect(newer?.[0]).toMatch(/^From 1 Nov 2026.*Current$/);
    expect(newer?.[1]).toBe("Prompt $1.25 €1.07Completion $2.000000000001 €1.72");
    expect(newer?.[2]).toBe("Currency EUR → USDPrompt €1.00 → $1.25");
    expect(newer?.[3]).toBe("ImportedPrice list · 30 Oct 2026");
    expect(older?.[0]).toMatch(/^Initial priceuntil 1 Nov 2026/);
    expect(older?.[0]).not.toContain("Current");
    expect(older?.[1]).toBe("Prompt €1.00Completion €2.00");
    expect(older?.[2]).toBe("–");
    expect(older?.[3]).toBe("Catalogueno source");
  });

  test.each([
    ["2026-11-20T11:59:59.000Z", false],
    ["2026-11-20T12:00:01.000Z", true],
  ])("a price from %s on is marked as scheduled: %s", async (valid_from, scheduled) => {
    show([version({ valid_from })]);
    const [row] = await rows();
    expect(row?.[0]?.includes("Scheduled")).toBe(scheduled);
  });

  test("a price that did not change from the one before has no changes", async () => {
    show([{ ...second, changes: [] }, first]);
    expect((await rows())[0]?.[2]).toBe("None");
  });
});

describe("a price", () => {
  const priceText = async (more: Partial<PriceVersion>) => {
    show([version(more)]);
    return (await rows())[0]?.[1];
  };

  test.each<[string, Partial<PriceVersion>, string]>([
    ["of zero everywhere", {}, "Free"],
    ["that is unknown", { currency: null, eur: null }, "No price"],
    ["for a request", { per_request: "0.010000000000" }, "Per request €0.01"],
    ["for searches", { per_1k_searches: "2.000000000000" }, "Per 1,000 searches €2.00"],
    ["for the cache", { cached_input: "0.1", cache_write: "0.2" }, "Cached prompt €0.10Cache write €0.20"],
    ["for the cache of an hour", { cache_write_1h: "0.4" }, "Cache write (1 hour) €0.40"],
    ["for reasoning", { reasoning: "3.000000000000" }, "Reasoning €3.00"],
  ])("%s reads as text", async (_what, more, text) => {
    expect(await priceText(more)).toBe(text);
  });

  test("of long prompts names from where on it counts", async () => {
    const tiers = [{ above_input_tokens: 200_000, input: "2.500000000000", output: "15.000000000000" }];
    expect(await priceText({ currency: "USD", input: "1.25", tiers })).toBe(
      "Prompt $1.25 €0.00Above 200,000 tokens: $2.50 and $15.00",
    );
  });
});

describe("the chart", () => {
  test("as a table has the prices in euros, with all digits on hover, the oldest first", async () => {
    const { user } = show([second, first]);
    const panel = within(await screen.findByRole("region", { name: "In euros" }));
    await user.click(panel.getByRole("radio", { name: "Table" }));
    const table = await panel.findByRole("table", { name: /^Prices of alpha\/eu:m\/one in euros/ });
    const cells = within(table)
      .getAllByRole("row")
      .map((row) => [...row.children].map(({ textContent }) => textContent));
    expect(cells).toEqual([
      ["From", "Prompt", "Completion"],
      ["Initial", "€1.00", "€2.00"],
      ["1 Nov 2026", "€1.07", "€1.72"],
    ]);
    for (const exact of ["€1.072961", "€1.716738000001"])
      expect(within(table).getByTitle(exact)).toBeTruthy();
  });

  test("is left out for a single price", async () => {
    show([first]);
    await rows();
    expect(screen.queryByRole("region", { name: "In euros" })).toBeNull();
  });

  test("of an endpoint that was always free has words", async () => {
    show([version({ valid_from: "2026-11-01T00:00:00.000Z" }), version({})]);
    await screen.findByText("This endpoint is free.");
  });
});

describe("without prices", () => {
  test("the screen without an endpoint leads to the models", async () => {
    const { server } = show([], { search: "" });
    await screen.findByText("Choose an endpoint");
    expect(screen.getByRole("link", { name: "Models" }).getAttribute("href")).toBe("/models");
    expect(server.inputsOf("prices.history")).toEqual([]);
  });

  test("an endpoint without a price says so", async () => {
    show([]);
    await screen.findByText("This endpoint has no price.");
  });

  test("yet, the table is busy", () => {
    show("loading");
    expect(screen.getByRole("region", { name: "Prices" }).getAttribute("aria-busy")).toBe("true");
  });

  test("because they could not be loaded, the screen shows why", async () => {
    show(new Refusal("NOT_FOUND", "No such endpoint"));
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("No such endpoint");
    expect(textContent).toContain(requestId);
  });
});

test.each([
  [100, false],
  [101, true],
])("of %d prices the newest hundred are shown, with a note: %s", async (total, noted) => {
  show([first], { total });
  await rows();
  expect(screen.queryByText(/Showing the newest 100 of/) !== null).toBe(noted);
});

test("a price that cannot be read is shown as ignored, and changes are those from the price before it", async () => {
  const ignored = version({
    ...{ currency: null, eur: null, input: null, output: null, origin: "price_book" },
    ...{ valid_from: "2026-10-15T00:00:00.000Z", problem: "input: must be at most 1000000" },
  });
  show([second, ignored, first]);
  const [newer, middle] = await rows();
  expect(newer?.[2]).toBe("Currency EUR → USDPrompt €1.00 → $1.25");
  expect(middle?.[0]).toMatch(/Ignored$/);
  expect(middle?.slice(1, 3)).toEqual(["Cannot be read: input: must be at most 1000000", "–"]);
});
