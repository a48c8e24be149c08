import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { GenerationFilter, GenerationVolume } from "#contract/generation.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { VolumePanel } from "./volume-panel.tsx";

const nowMs = Date.UTC(2026, 10, 20, 12);
const from = "2026-11-19T12:00:00.000Z";
const bucket = (start: string, completed: number, failed = 0) => ({
  start,
  completed,
  failed,
  cancelled: 0,
  interrupted: 0,
});

const show = (filter: GenerationFilter, answer: GenerationVolume | Refusal) =>
  renderConsole(<VolumePanel filter={filter} nowMs={nowMs} live={false} />, {
    answers: {
      generations: {
        volume: () => {
          if (answer instanceof Refusal) throw answer;
          return answer;
        },
      },
    },
  });
const some: GenerationVolume = {
  step_ms: 86_400_000,
  counted_from: null,
  buckets: [
    bucket("2026-11-18T12:00:00.000Z", 1_200, 3),
    bucket("2026-11-19T12:00:00.000Z", 0),
    bucket("2026-11-20T12:00:00.000Z", 5),
  ],
};

test("the volume is asked for with the filter of the list, up to now", async () => {
  const { server } = show({ from, model: "a/b", status: ["failed"] }, some);
  await screen.findByRole("region", { name: "Volume" });
  expect(server.inputsOf("generations.volume")).toEqual([
    { from, to: "2026-11-20T12:00:00.000Z", model: "a/b", status: ["failed"] },
  ]);
});

test.each([
  ["of one request that is searched by its ID", { from, find: "req_1" }],
  ["without a start", {}],
  ["whose end is before its start", { from, to: "2026-11-01T00:00:00.000Z" }],
])("a filter %s has no volume", async (_what, filter) => {
  const { server } = show(filter, some);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(screen.queryByRole("region", { name: "Volume" })).toBeNull();
  expect(server.inputsOf("generations.volume")).toEqual([]);
});

test("the table has the same numbers as the chart, without empty rows", async () => {
  const { user } = show({ from }, some);
  await user.click(await screen.findByRole("radio", { name: "Table" }));
  const table = await screen.findByRole("table", { name: /Requests by start time/ });
  const rows = within(table)
    .getAllByRole("row")
    .map((row) => [...row.children].map(({ textContent }) => textContent));
  expect(rows).toEqual([
    ["From", "Completed", "Failed", "Cancelled", "Interrupted"],
    ["18 Nov", "1,200", "3", "0", "0"],
    ["20 Nov", "5", "0", "0", "0"],
  ]);
});

test("the chart is described for those who cannot see it", async () => {
  show({ from }, some);
  const chart = await screen.findByRole("img", { name: /Requests by start time/ });
  expect(chart.getAttribute("aria-label")).toContain("the table shows the same numbers");
  expect(chart.textContent).toContain("Completed");
  expect(chart.textContent).not.toContain("Cancelled");
});

test("a period without requests shows a text instead of bars", async () => {
  show({ from }, { ...some, buckets: [bucket("2026-11-18T12:00:00.000Z", 0)] });
  await screen.findByText("No requests in this period.");
  expect(screen.queryByRole("radio", { name: "Table" })).toBeNull();
});

test("a volume of the newest requests only says from when on they are counted", async () => {
  show({ from, preset: "support" }, { ...some, counted_from: "2026-11-18T09:30:00.000Z" });
  await screen.findByText(/Only the newest requests are compared with this filter: counted from 18 Nov 2026/);
});

test("a volume that cannot be loaded shows why", async () => {
  show({ from }, new Refusal("SERVICE_UNAVAILABLE", "Try again later"));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("Try again later"));
});
