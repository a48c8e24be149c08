import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { SimulationResult } from "#contract/simulation.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal, requestId } from "#test/console/server.ts";
import { type Draft, newDraft } from "./draft.ts";
import { SimulationPanel } from "./simulation-panel.tsx";

const ruleId = "018f0000-0000-7000-8000-0000000000d1";
const result: SimulationResult = {
  since: "2026-10-01T00:00:00.000Z",
  considered: 1_200,
  unchanged: 900,
  moved_count: 250,
  refused: 40,
  refused_already: 10,
  truncated: false,
  cost_eur_before: "12.000000000000",
  cost_eur_after: "11.500100000000",
  cost_eur_change: "-0.499900000000",
  moved: [
    { from: "acme", to: "zeta", count: 200 },
    { from: "acme", to: "nemo", count: 50 },
  ],
  flows: [
    { before: { provider: "zeta", place: "DE+FR" }, after: { provider: "zeta", place: "DE+FR" }, count: 900 },
    { before: { provider: "acme", place: "US" }, after: { provider: "zeta", place: "DE+FR" }, count: 250 },
    { before: { provider: "acme", place: "US" }, after: null, count: 40 },
    { before: null, after: null, count: 10 },
  ],
  residency: { before: { US: 250, "DE+FR": 950 }, after: { "DE+FR": 1_150 } },
  by_model: [],
};

type Simulate = NonNullable<NonNullable<Answers["routingRules"]>["simulate"]>;
const show = (simulate: Simulate, draft: Partial<Draft> = {}, id: string | null = null) =>
  renderConsole(<SimulationPanel draft={{ ...newDraft, name: "EU only", ...draft }} ruleId={id} />, {
    answers: { routingRules: { simulate } },
  });
const replay = () => screen.getByRole<HTMLButtonElement>("button", { name: "Replay" });
const fact = (name: string) =>
  within(screen.getByRole("table", { name: "Changes" }))
    .getByRole("rowheader", { name })
    .closest("tr")
    ?.querySelector("td")?.textContent;

describe("replaying past traffic", () => {
  test("shows where requests ran and would run", async () => {
    const { user } = show(() => ({ data: result }));
    await user.click(replay());
    const picture = within(await screen.findByRole("region", { name: /^Requests by provider and country/ }));
    for (const name of ["Before", "After"]) expect(picture.getByText(name)).toBeTruthy();
    expect(picture.getByText("acme · United States → zeta · Germany + France: 250 rerouted")).toBeTruthy();
    expect(picture.getByText("acme · United States → Refused: 40 refused")).toBeTruthy();
    expect(
      picture.getByText("zeta · Germany + France → zeta · Germany + France: 900 unchanged"),
    ).toBeTruthy();
  });

  test("shows the countries of both on a map", async () => {
    const { user } = show(() => ({ data: result }));
    await user.click(replay());
    await user.click(await screen.findByText("Map"));
    await screen.findByText("Map of the countries, before");
    const circles = (side: string) =>
      [
        ...(screen.getByText(`Map of the countries, ${side}`).closest("svg")?.querySelectorAll("circle") ??
          []),
      ].map(({ textContent }) => textContent);
    expect(circles("before").toSorted()).toEqual([
      "France: 950 requests",
      "Germany: 950 requests",
      "United States: 250 requests",
    ]);
    expect(circles("after").toSorted()).toEqual(["France: 1,150 requests", "Germany: 1,150 requests"]);
    expect(screen.getByText(/counted in each of them/)).toBeTruthy();
  });

  test("sends the draft and the rule it would replace, for the last 7 days", async () => {
    const provider = { data_residency: "eu" };
    const { user, server } = show(() => ({ data: result }), { provider }, ruleId);
    expect(server.calls).toEqual([]);
    await user.click(replay());
    await screen.findByRole("table", { name: "Changes" });
    expect(server.inputsOf("routingRules.simulate")).toEqual([
      {
        rule: {
          name: "EU only",
          description: null,
          model: null,
          models: null,
          provider,
          enabled: true,
          auto_apply: true,
          scope: "org",
          workspace_id: null,
          api_key_id: null,
        },
        rule_id: ruleId,
        days: 7,
      },
    ]);
  });

  test("needs no name yet, and takes the period that is chosen", async () => {
    const { user, server } = show(() => ({ data: result }), { name: "  " });
    await user.selectOptions(screen.getByLabelText("Period"), "Last 90 days");
    await user.click(replay());
    await waitFor(() =>
      expect(server.inputsOf("routingRules.simulate")).toMatchObject([
        { rule: { name: "this rule" }, rule_id: null, days: 90 },
      ]),
    );
  });

  test("waits until it is chosen what the rule applies to", () => {
    show(() => ({ data: result }), { scope: "workspace" });
    expect(replay().disabled).toBe(true);
  });

  test("that failed names the request and can be repeated", async () => {
    let failing = true;
    const { user, server } = show(() => {
      if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "Too many simulations");
      return { data: result };
    });
    await user.click(replay());
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Too many simulations");
    expect(alert.textContent).toContain(requestId);
    failing = false;
    await user.click(within(alert).getByRole("button", { name: "Try again" }));
    await screen.findByRole("table", { name: "Changes" });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(server.inputsOf("routingRules.simulate")).toHaveLength(2);
  });
});

describe("the result", () => {
  const replayed = async (more: Partial<SimulationResult> = {}) => {
    const made = show(() => ({ data: { ...result, ...more } }));
    await made.user.click(replay());
    return made;
  };

  test.each([
    ["Requests", "1,200"],
    ["Unchanged", "900"],
    ["Rerouted", "250"],
    ["Refused", "40"],
    ["Already refused by current rules", "10"],
    ["Cost before", "€12.00"],
    ["Cost after", "€11.50"],
    ["Difference", "−€0.50"],
  ])("has for %s the text %s", async (name, text) => {
    await replayed();
    await screen.findByRole("table", { name: "Changes" });
    expect(fact(name)).toBe(text);
  });

  test("says when only the newest requests were evaluated", async () => {
    await replayed({ considered: 50_000, truncated: true });
    await screen.findByRole("table", { name: "Changes" });
    expect(fact("Requests")).toBe("50,000 (newest only)");
  });

  test("shows which providers requests would move between", async () => {
    await replayed();
    const table = within(await screen.findByRole("table", { name: "Rerouted" }));
    const rows = table.getAllByRole("row").map((row) => [...row.children].map((cell) => cell.textContent));
    expect(rows).toEqual([
      ["From", "To", "Requests"],
      ["acme", "zeta", "200"],
      ["acme", "nemo", "50"],
    ]);
  });

  test("shows no empty table when nothing moves", async () => {
    await replayed({ moved: [], moved_count: 0 });
    await screen.findByRole("table", { name: "Changes" });
    expect(screen.queryByRole("table", { name: "Rerouted" })).toBeNull();
  });

  test("shows the countries before and after by their names", async () => {
    const { user } = await replayed();
    await user.click(await screen.findByRole("radio", { name: "Table" }));
    const region = within(screen.getByRole("region", { name: /^Requests by country, before/ }));
    const rows = region.getAllByRole("row").map((row) => [...row.children].map((cell) => cell.textContent));
    expect(rows).toEqual([
      ["Country", "Before", "After"],
      ["United States", "250", "0"],
      ["Germany + France", "950", "1,150"],
    ]);
  });

  test("of a period without requests is one sentence", async () => {
    await replayed({ considered: 0 });
    expect(await screen.findByText("No requests in this period.")).toBeTruthy();
    expect(screen.queryByRole("table")).toBeNull();
  });
});
