import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { collectDownloads } from "#test/console/downloads.ts";
import { fill } from "#test/console/render.tsx";
import { never, Refusal, requestId } from "#test/console/server.ts";
import { atNoon } from "#test/console/time.ts";
import { cellsOf, keyId, reportRow, seriesRow, showUsage } from "#test/console/usage.tsx";

atNoon();
const downloads = collectDownloads();

const unavailable = () => {
  throw new Refusal("SERVICE_UNAVAILABLE", "Try again later");
};

describe("the period", () => {
  test.each([
    ["", { from: "2026-10-22", to: "2026-11-20" }],
    ["?range=7d", { from: "2026-11-14", to: "2026-11-20" }],
    ["?range=90d", { from: "2026-08-23", to: "2026-11-20" }],
    ["?range=month", { from: "2026-11-01", to: "2026-11-20" }],
    ["?range=last_month", { from: "2026-10-01", to: "2026-10-31" }],
    ["?range=year", { from: "2025-11-21", to: "2026-11-20" }],
    ["?range=nonsense", { from: "2026-10-22", to: "2026-11-20" }],
    ["?range=custom&from=2026-02-01&to=2026-02-03", { from: "2026-02-01", to: "2026-02-03" }],
  ])("of the URL %s is asked for in whole days (UTC)", async (search, days) => {
    const { server } = showUsage({}, { search });
    await cellsOf("Usage by model");
    expect(server.inputsOf("activity.series")).toEqual([{ ...days, group: "model" }]);
    expect(server.inputsOf("activity.report")).toEqual([{ ...days, group_by: "model" }]);
  });

  test("is chosen from a list, and stands in the URL", async () => {
    const { user, server, query } = showUsage();
    await cellsOf("Usage by model");
    await user.selectOptions(screen.getByLabelText("Range"), "Last month");
    await waitFor(() => expect(query().get("range")).toBe("last_month"));
    await waitFor(() =>
      expect(server.inputsOf("activity.series").at(-1)).toMatchObject({ from: "2026-10-01" }),
    );
  });

  test.each([
    "?range=custom",
    "?range=custom&from=2026-02-01",
    "?range=custom&from=2026-02-03&to=2026-02-01",
    "?range=custom&from=2020-01-01&to=2026-01-01",
  ])("of %s is not asked for, but the limit is named", async (search) => {
    const { server } = showUsage({}, { search });
    await screen.findByText("Choose a range of at most 366 days");
    await screen.findByRole("region", { name: "Ledger" });
    expect(server.inputsOf("activity.series")).toEqual([]);
  });

  test("of one's own has two days, and counts once both are there", async () => {
    const { user, server, query } = showUsage({}, { search: "?range=custom&from=2026-02-01" });
    await fill(user, await screen.findByLabelText("To"), "2026-02-28");
    await waitFor(() => expect(query().get("to")).toBe("2026-02-28"));
    await cellsOf("Usage by model");
    expect(server.inputsOf("activity.report")).toEqual([
      { from: "2026-02-01", to: "2026-02-28", group_by: "model" },
    ]);
    expect(screen.queryByText(/Choose a range/)).toBeNull();
  });
});

describe("the groups", () => {
  test.each([
    ["Provider", "provider"],
    ["API key", "api_key_id"],
    ["Workspace", "workspace_id"],
  ])("%s is asked for and stands in the URL", async (label, group) => {
    const { user, server, query } = showUsage({
      activity: { report: () => ({ data: [reportRow({ [group]: null })], next: null }) },
    });
    await screen.findByRole("table", { name: "Usage by model" });
    await user.click(screen.getByRole("radio", { name: label }));
    await waitFor(() => expect(query().get("by")).toBe(group));
    await screen.findByRole("table", { name: `Usage by ${label.toLowerCase()}` });
    expect(server.inputsOf("activity.report").at(-1)).toMatchObject({ group_by: group });
    expect(server.inputsOf("activity.series").at(-1)).toMatchObject({ group });
  });

  test("are tags too, where the organisation has any, and values beyond the maximum are reported", async () => {
    const run = { name: "metadata.run", values: 1_000, values_max: 1_000, other_requests: 12 };
    const { user, server, query } = showUsage({
      tags: { list: () => ({ data: [{ ...run, name: "end_user", other_requests: 0 }, run] }) },
      activity: { report: () => ({ data: [reportRow({ tag_value: "nightly" })], next: null }) },
    });
    await user.selectOptions(await screen.findByLabelText("By tag"), "run");
    await waitFor(() => expect(query().get("by")).toBe("tag:metadata.run"));
    const table = await screen.findByRole("table", { name: "Usage by run" });
    await within(table).findByText("nightly");
    expect(server.inputsOf("activity.report").at(-1)).toMatchObject({
      ...{ tag: "metadata.run", group_by: "tag_value" },
    });
    expect(server.inputsOf("activity.series").at(-1)).toMatchObject({
      ...{ tag: "metadata.run", group: "tag_value" },
    });
    expect(screen.getByText(/^12 requests of this month are/).textContent).toContain("1,000 values");
    await user.click(screen.getByRole("radio", { name: "Provider" }));
    await waitFor(() => expect(query().get("by")).toBe("provider"));
  });

  test("lead to the requests in the log that they count", async () => {
    const report = () => ({ data: [reportRow({ model: "m/one & two" })], next: null });
    showUsage({ activity: { report } });
    const link = await screen.findByRole("link", { name: "m/one & two" });
    expect(link.getAttribute("href")).toBe("/logs?range=30d&model=m%2Fone%20%26%20two");
  });

  test("of keys have their names, and the end of the ID of one that is gone", async () => {
    const goneId = "018f0000-0000-7000-8000-00009999eeee";
    const data = [reportRow({ api_key_id: keyId, cost_eur: "2" }), reportRow({ api_key_id: goneId })];
    showUsage({ activity: { report: () => ({ data, next: null }) } }, { search: "?by=api_key_id" });
    expect((await screen.findByRole("link", { name: "Crawler" })).getAttribute("href")).toBe(
      `/logs?range=30d&key=${keyId}`,
    );
    expect(screen.getByRole("link", { name: "api key …9999eeee" })).toBeDefined();
  });

  test.each([
    ["provider", "No provider"],
    ["workspace_id", "No workspace"],
  ])("of %s name what belongs to none, without a link", async (group, text) => {
    const report = () => ({ data: [reportRow({ [group]: null })], next: null });
    showUsage({ activity: { report } }, { search: `?by=${group}` });
    const table = await screen.findByRole("table", { name: /^Usage by/ });
    await within(table).findByText(text);
    expect(within(table).queryByRole("link")).toBeNull();
  });
});

describe("the table", () => {
  const data = [
    reportRow({ model: "small", cost_eur: "0.000000000001", cost_usd: "0.000000000002" }),
    reportRow({ model: "great", requests: 120_000, errors: 600, cost_eur: "1234.5678", cost_usd: "1300" }),
    reportRow({ model: "free", requests: 3, errors: 0, cost_eur: "0", cost_usd: "0" }),
  ];
  const answers = { activity: { report: () => ({ data, next: null }) } };
  const models = async () => (await cellsOf("Usage by model")).slice(1).map(([model]) => model);

  test("has requests, share of failures, tokens and both amounts, the greatest cost first", async () => {
    showUsage(answers);
    expect(await cellsOf("Usage by model")).toEqual([
      ["Model", "Requests", "Failed", "Tokens in", "Tokens out", "USD", "EUR\u00a0↓"],
      ["great", "120k", "0.5%", "1,000", "200", "$1,300.00", "€1,234.57"],
      ["small", "10", "10%", "1,000", "200", "$0.000000000002", "€0.000000000001"],
      ["free", "3", "0%", "1,000", "200", "$0.00", "€0.00"],
    ]);
    expect(screen.getByTitle("€1,234.5678").textContent).toBe("€1,234.57");
  });

  test("can be sorted by each column, either way", async () => {
    const { user, query } = showUsage(answers);
    const sortBy = async (name: RegExp) =>
      user.click(within(screen.getByRole("table", { name: "Usage by model" })).getByRole("button", { name }));
    await models();
    await sortBy(/^Model/);
    expect(await models()).toEqual(["free", "great", "small"]);
    await sortBy(/^Model/);
    expect(await models()).toEqual(["small", "great", "free"]);
    await sortBy(/^Failed/);
    expect(await models()).toEqual(["free", "great", "small"]);
    await sortBy(/^Requests/);
    expect(await models()).toEqual(["free", "small", "great"]);
    await waitFor(() => expect(query().get("sort")).toBe("requests"));
  });

  test("that cannot be loaded shows why, and can be asked again", async () => {
    let failing = true;
    const report = () => (failing ? unavailable() : { data, next: null });
    const { user } = showUsage({ activity: { report } });
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
    failing = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await models();
  });
});

describe("without usage", () => {
  const nothing = { series: () => ({ data: [] }), report: () => ({ data: [], next: null }) };

  test("chart and table say so, and there is nothing to download", async () => {
    showUsage({ activity: nothing });
    await screen.findByText("No usage in this period.");
    await screen.findByText("No usage in this period", { exact: true });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Download CSV" }).disabled).toBe(true);
    expect(screen.queryByRole("radio", { name: "Table" })).toBeNull();
  });

  test("yet, nothing claims that there is none", async () => {
    showUsage({ activity: { series: never, report: never } });
    const table = await screen.findByRole("region", { name: "Usage by model" });
    expect(table.getAttribute("aria-busy")).toBe("true");
    expect(screen.queryByText(/No usage/)).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Download CSV" }).disabled).toBe(true);
  });
});

describe("the chart", () => {
  const series = () => ({
    data: [seriesRow("2026-11-18", "m/one", "0.000000000001"), seriesRow("2026-11-19", "m/two", "12.345678")],
  });

  test.each([
    ["EUR", "€0.000000000001", "€12.345678"],
    ["USD", "$0.000000000001", "$12.345678"],
    ["Requests", "2", "2"],
    ["Tokens", "1,234", "1,234"],
  ])("as a table has %s, with all digits on hover", async (measure, small, great) => {
    const { user } = showUsage({ activity: { series } });
    const panel = within(await screen.findByRole("region", { name: "Daily usage" }));
    await user.click(panel.getByRole("radio", { name: measure }));
    await user.click(panel.getByRole("radio", { name: "Table" }));
    const rows = await cellsOf(/of each day by model/, (cell) => cell.title || cell.textContent);
    const at = rows[0]?.indexOf("m/one") === 1 ? 1 : 2;
    expect(rows.slice(1).map((cells) => [cells[0], cells[at], cells[3 - at]])).toEqual([
      ["18 Nov 2026", small, expect.stringMatching(/^\D?0(\.00)?$/)],
      ["19 Nov 2026", expect.stringMatching(/^\D?0(\.00)?$/), great],
    ]);
  });

  test("that cannot be loaded leaves the table in its place", async () => {
    showUsage({ activity: { series: unavailable } });
    expect((await screen.findByRole("alert")).textContent).toContain("Try again later");
    await cellsOf("Usage by model");
  });
});

describe("the file", () => {
  test("has every day of every page, with exact amounts and names", async () => {
    const { user, server } = showUsage(
      {
        activity: {
          report: ({ group_by, after }) => {
            if (group_by !== "day,api_key_id")
              return { data: [reportRow({ api_key_id: keyId })], next: null };
            return after
              ? { data: [reportRow({ day: "2026-11-02", api_key_id: keyId })], next: null }
              : { data: [reportRow({ day: "2026-11-01", api_key_id: keyId })], next: '["2026-11-01"]' };
          },
        },
      },
      { search: "?range=month&by=api_key_id" },
    );
    await screen.findByRole("link", { name: "Crawler" });
    await user.click(screen.getByRole("button", { name: "Download CSV" }));
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(downloads[0]).toMatchObject({
      name: "usage-2026-11-01-2026-11-20-by-api_key_id.csv",
      type: "text/csv",
    });
    const figures = "10,1,1000,200,0,0,0,0.000123450000,0.000140000000,0.000140000000";
    expect((await downloads[0]?.text())?.split("\n").slice(1, 3)).toEqual([
      `2026-11-01,${keyId},Crawler,${figures}`,
      `2026-11-02,${keyId},Crawler,${figures}`,
    ]);
    const days = { from: "2026-11-01", to: "2026-11-20", group_by: "day,api_key_id" };
    expect(server.inputsOf("activity.report").slice(1)).toEqual([days, { ...days, after: '["2026-11-01"]' }]);
  });

  test("that fails on a later page is not saved at all, and the failure is shown", async () => {
    const report = ({ group_by = "", after }: { group_by?: string; after?: string | undefined }) => {
      if (after) return unavailable();
      return { data: [reportRow({ model: "m/one" })], next: group_by.startsWith("day") ? "[]" : null };
    };
    const { user } = showUsage({ activity: { report } });
    await cellsOf("Usage by model");
    await user.click(screen.getByRole("button", { name: "Download CSV" }));
    await screen.findByText("Try again later");
    expect(downloads).toEqual([]);
  });
});
