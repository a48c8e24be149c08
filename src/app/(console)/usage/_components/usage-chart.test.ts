import { expect, test } from "vitest";
import { usageChart } from "./usage-chart.ts";

const row = (day: string, name: string | null, cost_eur: string, rest = false) => ({
  day,
  name,
  rest,
  requests: 1,
  tokens: 2,
  cost_eur,
  cost_usd: cost_eur,
});

test("every day is listed, the greatest is first, the rest last, and the table has exact amounts", () => {
  const chart = usageChart(
    [
      row("2026-11-01", "small", "0.000000000001"),
      row("2026-11-03", "great", "2"),
      row("2026-11-03", null, "9", true),
      row("2026-11-03", null, "1"),
    ],
    { from: "2026-11-01", to: "2026-11-03" },
    "eur",
    (name) => name ?? "nobody",
  );
  expect(chart.labels).toEqual(["1 Nov 2026", "2 Nov 2026", "3 Nov 2026"]);
  expect(chart.series.map(({ label }) => label)).toEqual(["great", "nobody", "small", "Other"]);
  expect(chart.series[2]?.texts).toEqual(["€0.000000000001", "€0.00", "€0.00"]);
  expect(new Set(chart.series.map(({ color }) => color)).size).toBe(4);
});
