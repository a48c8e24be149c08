import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { RefusedRequest } from "#contract/refused-request.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal, requestId } from "#test/console/server.ts";
import { RefusedScreen } from "./refused-screen.tsx";

const bare: RefusedRequest = {
  ...sampleOf(RefusedRequest, { gaps: "always" }),
  message: "No eligible provider",
};
const full: RefusedRequest = { ...sampleOf(RefusedRequest), message: "No eligible provider" };

function show(rows: readonly RefusedRequest[] | Refusal, search = "", total_count = 0) {
  return renderConsole(<RefusedScreen />, {
    search,
    pathname: "/logs/refused",
    answers: {
      keys: { names: () => ({ data: [] }) },
      refusedRequests: {
        list: () => {
          if (rows instanceof Refusal) throw rows;
          return { data: [...rows], total_count };
        },
      },
    },
  });
}

describe("the list of refused requests", () => {
  test("asks for the filters and the page of the URL", async () => {
    const { server } = show([bare], "?find=req_1&model=m%2Fone&error=FORBIDDEN&page=2");
    await waitFor(() => expect(server.inputsOf("refusedRequests.list")).not.toEqual([]));
    expect(server.inputsOf("refusedRequests.list")[0]).toEqual({
      limit: "50",
      offset: "100",
      request_id: "req_1",
      model: "m/one",
      error_code: "FORBIDDEN",
    });
  });

  test("beyond its last page leads back, and does not claim that nothing was refused", async () => {
    const { user, query } = show([], "?page=3");
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(query().has("page")).toBe(false));
  });

  test("that cannot be loaded shows why, and the request ID", async () => {
    show(new Refusal("SERVICE_UNAVAILABLE", "Try again later"));
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
  });

  test.each([
    [1, 0, false],
    [51, 0, true],
    [51, 1, false],
  ])("of %d, on page %d, has another one: %s", async (total, page, more) => {
    show([bare], page > 0 ? `?page=${page}` : "", total);
    await screen.findByRole("button", { name: /No eligible provider/ });
    const next = screen.queryByRole<HTMLButtonElement>("button", { name: "Next" });
    expect(next !== null && !next.disabled).toBe(more);
  });
});

test.each([
  ["without anything that may be missing", bare],
  ["with everything there can be", full],
])("a refused request %s is shown without a gap that reads as null", async (_what, refused) => {
  show([refused], `?open=${refused.id}`, 1);
  const sheet = await screen.findByRole("dialog");
  const facts = sheet.querySelector("table")?.textContent ?? "";
  expect(facts).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date|\[object/);
  expect(facts).toContain(refused.error_code);
});

test.each([
  ["0.250000000000", "€0.25"],
  ["0.000000001200", "€0.0000000012"],
  ["1234.500000000000", "€1,234.50"],
])("missing credit of %s is shown as %s", async (missing_eur, text) => {
  show([{ ...bare, missing_eur }], `?open=${bare.id}`, 1);
  const facts = await screen.findByRole("table", { name: "Refusal" });
  expect(within(facts).getByRole("row", { name: /^Missing credit/ }).textContent).toBe(
    `Missing credit${text}`,
  );
});
