import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RequestFlows } from "#contract/request-flows.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { FlowPanel } from "./flow-panel.tsx";

const rule = { id: "018f0000-0000-7000-8000-0000000000aa", name: "EU only" };
const flow = { failed: 0, stopped: 0, country: "DE", provider: "alpha" };
const crawled = { ...flow, key: { id: "k1", name: "Crawler" }, rules: [rule], completed: 1_200, failed: 30 };
const report: RequestFlows = {
  from: "2026-11-01T00:00:00.000Z",
  counted_from: null,
  flows: [
    crawled,
    { ...flow, key: { id: "k2", name: null }, rules: null, completed: 5, country: null, provider: null },
  ],
  excluded: [
    { provider: "omega", country: "US", reason: "data_region", rule, scope: null, requests: 1_230 },
    { provider: "psi", country: null, reason: "retention", rule: null, scope: "installation", requests: 7 },
  ],
};
const show = (flows: RequestFlows | Refusal) =>
  renderConsole(<FlowPanel range="7d" />, {
    answers: {
      overview: {
        flows: () => {
          if (flows instanceof Refusal) throw flows;
          return flows;
        },
      },
    },
  });

test("keys, countries and providers lead to their requests", async () => {
  show(report);
  await screen.findByRole("link", { name: "Crawler: 1,230 requests" });
  const links = screen
    .getAllByRole("link")
    .map((link) => [link.getAttribute("aria-label"), link.getAttribute("href")]);
  expect(links).toEqual([
    ["Crawler: 1,230 requests", "/logs?range=7d&key=k1"],
    ["…k2: 5 requests", "/logs?range=7d&key=k2"],
    ["Germany: 1,230 requests", "/logs?range=7d&country=DE"],
    ["alpha: 1,230 requests", "/logs?range=7d&provider=alpha"],
  ]);
  screen.getByText("omega: data residency", { selector: "title" });
});

test("the table has the same numbers, and every excluded provider with reason and rule", async () => {
  const { user } = show(report);
  await user.click(await screen.findByText("Table"));
  const rowsOf = (name: string) =>
    within(screen.getByRole("table", { name }))
      .getAllByRole("row")
      .slice(1)
      .map((row) => [...row.children].map(({ textContent }) => textContent));
  expect(rowsOf("Where requests went")).toEqual([
    ["Crawler", "EU only", "Germany", "alpha", "1,230", "30"],
    ["…k2", "Rules not recorded", "Country unknown", "No provider", "5", "0"],
  ]);
  expect(rowsOf("Excluded providers")).toEqual([
    ["omega", "United States", "data residency", "EU only", "1,230"],
    ["psi", "Country unknown", "data retention", "the installation", "7"],
  ]);
});

test("the map has a circle for each country, which leads to its requests, and a list with the rest", async () => {
  const { user } = show({
    ...report,
    excluded: [
      ...report.excluded,
      // Its country received requests, so it is there already.
      { provider: "beta", country: "DE", reason: "retention", rule, scope: null, requests: 3 },
    ],
    flows: [...report.flows, { ...flow, key: crawled.key, rules: [], completed: 10, country: "EU" }],
  });
  await user.click(await screen.findByText("Map"));
  const circle = await screen.findByRole("link", { name: "Germany: 1,230 requests" });
  expect(circle.getAttribute("href")).toBe("/logs?range=7d&country=DE");
  expect(screen.getByText("United States: excluded, data residency", { selector: "title" })).toBeTruthy();
  const rows = within(screen.getByRole("table", { name: "Countries" }))
    .getAllByRole("row")
    .slice(1);
  expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ["Germany", "1,230", "30", "98.8%"],
    ["the EU", "10", "0", "0.8%"],
    ["Country unknown", "5", "0", "0.4%"],
    ["United States", "excluded: data residency"],
  ]);
  // Everything was in Europe.
  expect(screen.getByLabelText<HTMLInputElement>("Europe").checked).toBe(true);
  await user.click(screen.getByText("World"));
  expect(screen.getByLabelText<HTMLInputElement>("World").checked).toBe(true);
});

test("the map shows the world if requests went beyond Europe", async () => {
  const { user } = show({ ...report, flows: [{ ...crawled, country: "US" }] });
  await user.click(await screen.findByText("Map"));
  expect((await screen.findByLabelText<HTMLInputElement>("World")).checked).toBe(true);
});

test("without requests the panel is not there; a failure says why", async () => {
  show({ ...report, flows: [], excluded: [] }).unmount();
  show(new Refusal("SERVICE_UNAVAILABLE", "Try again later"));
  expect((await screen.findByRole("alert")).textContent).toContain("Try again later");
});
