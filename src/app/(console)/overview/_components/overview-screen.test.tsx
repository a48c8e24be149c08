import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Budget } from "#contract/budget.ts";
import { GenerationLine } from "#contract/generation.ts";
import type { Overview } from "#contract/overview.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { completedSteps } from "#test/console/first-steps.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal, requestId } from "#test/console/server.ts";
import { OverviewScreen } from "./overview-screen.tsx";

const sums = {
  requests: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  tokens_in: 0,
  tokens_out: 0,
  cost_eur: "0.000000000000",
  cost_usd: "0.000000000000",
};
const nothing: Overview = {
  from: "2026-10-01T00:00:00.000Z",
  to: "2026-10-02T00:00:00.000Z",
  step_ms: 3_600_000,
  totals: {
    ...sums,
    error_rate: 0,
    fallbacks: 0,
    fallback_rate: null,
    first_content_ms: null,
    duration_ms: null,
  },
  previous: { requests: 0, failed: 0, cost_eur: "0.000000000000" },
  buckets: [{ start: "2026-10-01T00:00:00.000Z", ...sums }],
  top: { models: [], providers: [], keys: [] },
  latest: [],
  recent_errors: [],
  credit: { balance_eur: "0.000000000000" },
  refused: { count: 0, since: "2026-10-01T00:00:00.000Z" },
};
const used = {
  ...sums,
  requests: 1_200,
  failed: 30,
  cancelled: 20,
  interrupted: 10,
  tokens_in: 4_000,
  tokens_out: 1_500,
  cost_eur: "12.345678000000",
  cost_usd: "14.200000000000",
};
const busy: Overview = {
  ...nothing,
  totals: {
    ...used,
    ...{ error_rate: 0.025, fallbacks: 36, fallback_rate: 0.03 },
    duration_ms: { p50: 820, p95: 2_400, p99: 12_000 },
    first_content_ms: { p50: 140, p95: 900, p99: 1_000 },
  },
  previous: { requests: 1_000, failed: 2, cost_eur: "24.69" },
  buckets: [{ start: "2026-10-01T00:00:00.000Z", ...used }],
  credit: { balance_eur: "-0.004200000000" },
  refused: { count: 69, since: "2026-10-01T00:00:00.000Z" },
};
const noFlows = { from: nothing.from, counted_from: null, flows: [], excluded: [] };
const budgetOf = (name: string, limit: number, used: number) => {
  const budget = sampleOf(Budget, { gaps: "always" });
  return {
    ...budget,
    dimensions: [],
    id: name,
    name,
    limit,
    measure: "eur" as const,
    use: { ...budget.use, used },
  };
};
const budgets = { data: [budgetOf("Research", 100, 20), budgetOf("Support", 50, 45)], total_count: 2 };
const noHealth = { health: () => ({ data: [] }) };

interface Shown {
  readonly overview?: Overview;
  readonly answers?: Answers;
  readonly search?: string;
}
const show = ({ overview = nothing, answers = {}, search = "" }: Shown = {}) =>
  renderConsole(<OverviewScreen />, {
    pathname: "/overview",
    search,
    answers: {
      overview: { get: () => overview, flows: () => noFlows, firstSteps: () => completedSteps },
      catalogue: noHealth,
      budgets: { list: () => budgets },
      ...answers,
    },
  });
/** The tile of that name: its value and the note below it. */
const tile = async (label: string) => {
  const term = await screen.findByText(label, { selector: "dt *" });
  const value = term.closest("dt")?.nextElementSibling;
  return [...(value?.querySelectorAll("p") ?? [])];
};
const tileTexts = async (label: string) => (await tile(label)).map((part) => part.textContent);

describe("an organisation without requests", () => {
  test.each([
    ["Requests", ["0", "0 completed"]],
    ["Spend", ["€0.00", "$0.00 in USD"]],
    ["Error rate", ["–", "no requests yet"]],
    ["Fallback rate", ["–", "no requests yet"]],
    ["Duration, median", ["–", "no completed requests"]],
    ["Time to first token", ["–", "no streams yet"]],
    ["Credit", ["€0.00", "available"]],
  ])("is shown for %s the text %o, and no number that was not measured", async (label, texts) => {
    show();
    expect(await tileTexts(label)).toEqual(texts);
  });

  test("reads in every panel that there is nothing yet, and of no errors", async () => {
    show();
    expect(await screen.findByText("No requests yet.")).toBeTruthy();
    expect(screen.getAllByText("No requests in this period.")).toHaveLength(3);
    expect(screen.getByText(/New requests appear here automatically/)).toBeTruthy();
    expect(screen.queryByText("Recent errors")).toBeNull();
    expect(screen.queryByText("Provider health")).toBeNull();
    expect(screen.queryByRole("link", { name: "View all" })).toBeNull();
  });
});

describe("the tiles of an organisation in use", () => {
  test.each([
    ["Requests", ["1,200", "1,140 completed · 20% more than before"]],
    ["Spend", ["€12.35", "$14.20 in USD · 50% less than before"]],
    ["Tokens", ["5,500", "4,000 in, 1,500 out"]],
    ["Error rate", ["2.5%", "30 of 1,200, 30 stopped early"]],
    ["Refused", ["69", "since 1 Oct 2026 (UTC)"]],
    ["Fallback rate", ["3%", "36 requests tried another endpoint"]],
    ["Fullest budget", ["90%", "Support: €45.00 of €50.00"]],
    ["Duration, median", ["820 ms", "p95 2.40 s, p99 12.0 s"]],
    ["Time to first token", ["140 ms", "streams only, p95 900 ms"]],
    ["Credit", ["−€0.0042", "available"]],
  ])("%s is %o", async (label, texts) => {
    show({ overview: busy });
    await waitFor(async () => expect(await tileTexts(label)).toEqual(texts));
  });

  test.each([
    ["Requests: 1,200", "/logs?range=24h"],
    ["Error rate: 2.5%", "/logs?range=24h&status=failed"],
    ["Refused: 69", "/logs/refused"],
  ])("%s leads to the requests that it counts", async (name, href) => {
    show({ overview: busy });
    expect((await screen.findByRole("link", { name })).getAttribute("href")).toBe(href);
  });

  test("tell the exact amount where the shown one is rounded", async () => {
    show({ overview: busy });
    const [value] = await tile("Spend");
    expect(value?.getAttribute("title")).toBe("€12.345678");
  });
});

describe("the lists", () => {
  const id = "018f0000-0000-7000-8000-0000000000cc";
  const top = { requests: 4, failed: 1, cost_eur: "1.250000000000" };

  test.each([
    ["Top models", "acme/large", "/logs?range=24h&model=acme%2Flarge"],
    ["Top providers", "acme", "/logs?range=24h&provider=acme"],
    ["Top keys", "key …000000cc", `/logs?range=24h&key=${id}`],
  ])("%s lead to the requests they count", async (title, name, href) => {
    const tops = {
      models: [{ id: "acme/large", ...top }],
      providers: [{ id: "acme", ...top }],
      keys: [{ id, name: null, ...top }],
    };
    show({ overview: { ...busy, top: tops } });
    const table = within(await screen.findByRole("table", { name: title }));
    const link = table.getByRole("link");
    expect([link.textContent, link.getAttribute("href")]).toEqual([name, href]);
    expect(table.getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["4", "25%", "€1.25"]);
  });

  test("of requests show what each was and lead to it", async () => {
    const line: GenerationLine = {
      ...sampleOf(GenerationLine),
      id,
      model: "acme/large",
      provider: null,
      status: "failed",
      error_code: "PROVIDER_ERROR",
      tokens_in: 12,
      tokens_out: 3,
      cost_eur: "0.000012300000",
      duration_ms: 950,
    };
    show({ overview: { ...busy, latest: [line], recent_errors: [line] } });
    for (const title of ["Recent errors", "Latest requests"]) {
      const table = within(await screen.findByRole("table", { name: title }));
      expect(table.getByRole("link", { name: "acme/large" }).getAttribute("href")).toBe(`/logs?open=${id}`);
      const cells = table.getAllByRole("cell").map((cell) => cell.textContent);
      expect(cells[0]).toContain("no provider");
      expect(cells[2]).toContain("PROVIDER_ERROR");
      expect(cells.slice(3)).toEqual(["12 / 3", "€0.0000123", "950 ms"]);
    }
    expect(
      screen.getAllByRole("link", { name: "View all" }).map((link) => link.getAttribute("href")),
    ).toEqual(["/logs?range=24h&status=failed", "/logs"]);
  });

  test("of providers tell in words how each has answered", async () => {
    const health = (slug: string, more: object) => ({
      slug,
      name: slug.toUpperCase(),
      cooling: false,
      health: 1,
      measured: true,
      latency_p50: 0.25,
      throughput_p50: null,
      ...more,
    });
    const data = [
      health("a", {}),
      health("b", { health: 0.5 }),
      health("c", { cooling: true }),
      health("d", { measured: false, latency_p50: null }),
    ];
    show({ answers: { catalogue: { health: () => ({ data }) } } });
    expect(await screen.findByText("Healthy, first token 250 ms")).toBeTruthy();
    expect(screen.getByText("50% successful, first token 250 ms")).toBeTruthy();
    expect(screen.getByText("Cooling down after an error")).toBeTruthy();
    expect(screen.getByText("No recent traffic")).toBeTruthy();
  });
});

describe("the range", () => {
  test("is the last day at first; another one is asked for, described and kept in the URL", async () => {
    const { user, server, query } = show();
    await screen.findByText("The last 24 hours of your organisation");
    await user.click(screen.getByRole("radio", { name: "7 days" }));
    expect(await screen.findByText("The last 7 days of your organisation")).toBeTruthy();
    await waitFor(() => expect(server.inputsOf("overview.get")).toEqual([{ range: "24h" }, { range: "7d" }]));
    expect(query().get("range")).toBe("7d");
  });

  test("of the URL is used, unless it is none", async () => {
    const { server, unmount } = show({ search: "?range=30d" });
    await waitFor(() => expect(server.inputsOf("overview.get")).toEqual([{ range: "30d" }]));
    unmount();
    const { server: another } = show({ search: "?range=forever" });
    await waitFor(() => expect(another.inputsOf("overview.get")).toEqual([{ range: "24h" }]));
  });
});

describe("loading", () => {
  test("shows no numbers before they are there", () => {
    show({ answers: { overview: { get: never, firstSteps: never } } });
    expect(screen.getByRole("heading", { name: "Overview" })).toBeTruthy();
    expect(screen.queryByText("Credit")).toBeNull();
    expect(screen.queryByText("First steps")).toBeNull();
  });

  test("that failed names the request and can be tried again", async () => {
    let failing = true;
    const get = () => {
      if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "The database is restarting");
      return nothing;
    };
    const { user } = show({
      answers: { overview: { get, flows: () => noFlows, firstSteps: () => completedSteps } },
    });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The database is restarting");
    expect(alert.textContent).toContain(requestId);
    failing = false;
    await user.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("No requests yet.")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("the chart", () => {
  test("shows each measure as a table, with the exact amount on hover", async () => {
    const { user } = show({ overview: busy });
    await user.click(await screen.findByRole("radio", { name: "Table" }));
    const found = () => within(screen.getByRole("region", { name: /over time/ })).getAllByRole("cell");
    const cells = () => found().map((cell) => cell.textContent);
    expect(cells()).toEqual(["1,140", "30", "30"]);
    await user.click(screen.getByRole("radio", { name: "Tokens" }));
    expect(cells()).toEqual(["4,000", "1,500"]);
    await user.click(screen.getByRole("radio", { name: "EUR" }));
    expect(cells()).toEqual(["€12.35"]);
    expect(found()[0]?.title).toBe("€12.345678");
    await user.click(screen.getByRole("radio", { name: "USD" }));
    expect(cells()).toEqual(["$14.20"]);
  });
});
