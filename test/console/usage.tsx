import { screen, waitFor, within } from "@testing-library/react";
import { expect } from "vitest";
import { UsageScreen } from "#app/(console)/usage/_components/usage-screen.tsx";
import { Identity } from "#contract/identity.ts";
import type { UsageReportRow, UsageSeriesRow } from "#contract/usage-report.ts";
import { sampleOf } from "./arbitrary.ts";
import { renderConsole } from "./render.tsx";
import type { Answers } from "./server.ts";

export const keyId = "018f0000-0000-7000-8000-00001234abcd";

export const reportRow = (more: Partial<UsageReportRow>): UsageReportRow => ({
  requests: 10,
  errors: 1,
  prompt_tokens: 1_000,
  completion_tokens: 200,
  cached_tokens: 0,
  reasoning_tokens: 0,
  search_units: 0,
  cost_eur: "0.000123450000",
  cost_usd: "0.000140000000",
  upstream_usd: "0.000140000000",
  ...more,
});

export const seriesRow = (day: string, name: string | null, cost_eur: string): UsageSeriesRow => ({
  day,
  name,
  rest: false,
  requests: 2,
  tokens: 1_234,
  cost_eur,
  cost_usd: cost_eur,
});

const credits = { balance: "12.500000", total_credits: "100.000000", total_usage: "87.500000" };

interface Options {
  readonly search?: string;
  readonly operator?: boolean;
}

/** The screen with a little usage; `answers` are by area, as for `renderConsole`. */
export const showUsage = (answers: Answers = {}, { search = "", operator = false }: Options = {}) =>
  renderConsole(<UsageScreen />, {
    search,
    session: { operator },
    pathname: "/usage",
    answers: {
      keys: { names: () => ({ data: [{ id: keyId, name: "Crawler" }] }) },
      identity: {
        me: () => ({ ...sampleOf(Identity), credits }),
        ...answers.identity,
      },
      tags: { list: () => ({ data: [] }), ...answers.tags },
      credits: { transfers: () => ({ data: [], next: null }), ...answers.credits },
      activity: {
        series: () => ({ data: [seriesRow("2026-11-19", "m/one", "1.25")] }),
        report: () => ({ data: [reportRow({ model: "m/one" })], next: null }),
        ...answers.activity,
      },
    },
  });

/** The cells of a table that is loaded, row by row, its header first. */
export async function cellsOf(
  name: string | RegExp,
  textOf = (cell: HTMLElement): string | null => cell.textContent,
): Promise<(string | null)[][]> {
  const table = await screen.findByRole("table", { name });
  await waitFor(() => expect(table.closest("[aria-busy=true]")).toBeNull());
  return within(table)
    .getAllByRole("row")
    .map((row) => [...row.querySelectorAll<HTMLElement>("th, td")].map(textOf));
}
