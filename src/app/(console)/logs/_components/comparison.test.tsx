import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { GenerationDetail } from "#contract/generation.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { idOf, rowOf, showLogs } from "#test/console/logs.tsx";
import { atNoon } from "#test/console/time.ts";
import { compared } from "./comparison.ts";

atNoon();

const bare = { ...sampleOf(GenerationDetail, { gaps: "always" }), decision: { models: [] } };
const first: GenerationDetail = { ...bare, model: "m/one", parameters: { top_p: 0.5, seed: 1 } };
const nameOfKey = (id: string) => `Key ${id}`;

describe("two requests", () => {
  test("that are the same do not differ in anything", () => {
    expect(compared(first, first, nameOfKey).filter(({ differs }) => differs)).toEqual([]);
  });

  test("differ in each fact and parameter whose value is another one, or that only one of them has", () => {
    const second: GenerationDetail = {
      ...first,
      model: "m/two",
      error_code: "TIMEOUT",
      cost: { ...first.cost, eur: "0.5" },
      parameters: { top_p: 0.5, seed: 2, stop: ["x"] },
    };
    const rows = compared(first, second, nameOfKey).filter(({ differs }) => differs);
    expect(rows.map(({ name }) => name)).toEqual([
      ...["Error", "Model", "Cost", "Parameter seed", "Parameter stop"],
    ]);
    expect(rows.find(({ name }) => name === "Error")?.values).toEqual([first.error_code, "TIMEOUT"]);
    expect(rows.find(({ name }) => name === "Parameter stop")?.values).toEqual([null, '["x"]']);
  });

  test("have no row for what neither of them has", () => {
    const none = { ...first, error_code: null };
    expect(compared(none, none, nameOfKey).map(({ name }) => name)).not.toContain("Error");
  });
});

describe("a comparison", () => {
  test("begins in one request, ends with another one, and can be shown in full", async () => {
    const { user, query } = showLogs({}, `?open=${idOf(1)}`);
    await user.click(await screen.findByRole("button", { name: "Compare" }));
    await waitFor(() => expect([query().get("open"), query().get("compare")]).toEqual([null, idOf(1)]));
    expect(await screen.findByText(/Open another request to compare it/)).toBeTruthy();
    await user.click(within(await rowOf("m/2")).getByRole("button"));
    const sheet = within(await screen.findByRole("dialog", { name: "Comparison" }));
    const rows = async () => {
      const table = await sheet.findByRole("table", { name: "Comparison" });
      return within(table)
        .getAllByRole("row")
        .map((row) => [...row.children].map(({ textContent }) => textContent));
    };
    expect(await rows()).toEqual([
      ["Fact", "First request", "Second request"],
      ["Model (differs)", "model of 1", "model of 2"],
    ]);
    await user.click(sheet.getByRole("switch", { name: "Only differences" }));
    expect((await rows()).length).toBeGreaterThan(10);
    await user.click(sheet.getByRole("button", { name: /^Next row/ }));
    await waitFor(async () => expect((await rows()).join()).toContain("model of 3"));
  });

  test("can be cancelled", async () => {
    const { user, query } = showLogs({}, `?compare=${idOf(1)}`);
    await user.click(await screen.findByRole("button", { name: "Cancel comparison" }));
    await waitFor(() => expect(query().has("compare")).toBe(false));
    await user.click(within(await rowOf("m/2")).getByRole("button"));
    expect(await screen.findByRole("dialog", { name: "model of 2" })).toBeTruthy();
  });
});
