import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { LedgerTransfer } from "#contract/credit.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal, requestId } from "#test/console/server.ts";
import { LedgerPanel } from "./ledger-panel.tsx";

const idOf = (at: number) => `018f0000-0000-7000-8000-${String(at).padStart(12, "0")}`;
const transfer = (at: number, more: Partial<LedgerTransfer>): LedgerTransfer => ({
  id: idOf(at),
  created_at: new Date().toISOString(),
  kind: "grant",
  amount_eur: "25.000000000000",
  reason: "Invoice 7",
  ...more,
});

type Transfers = NonNullable<NonNullable<Answers["credits"]>["transfers"]>;
const show = (transfers: Transfers) =>
  renderConsole(<LedgerPanel />, { answers: { credits: { transfers } } });
const rows = async () => {
  await waitFor(() =>
    expect(screen.getByRole("region", { name: "Transfers" }).getAttribute("aria-busy")).toBe("false"),
  );
  return within(screen.getByRole("table", { name: "Transfers" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent));
};

test.each([
  ["grant", "25.000000000000", "Grant", "+€25.00", "€25.00"],
  ["adjustment", "-5.500000000000", "Adjustment", "−€5.50", "−€5.50"],
  ["refund", "0.000000000001", "Refund", "+€0.000000000001", "€0.000000000001"],
  ["usage", "-1234.567800000000", "Usage", "−€1,234.57", "−€1,234.5678"],
] as const)(
  "a transfer of the kind %s over %s has its sign, and all digits in the title",
  async (kind, amount_eur, name, text, exact) => {
    show(() => ({ data: [transfer(1, { kind, amount_eur })], next: null }));
    const [cells] = await rows();
    expect(cells?.[1]).toBe(name);
    expect(cells?.at(-1)).toBe(text);
    expect(screen.getByTitle(exact)).toBeDefined();
  },
);

test("usage leads to its request, and everything else has its reason", async () => {
  const data = [
    transfer(1, { kind: "usage", reason: null }),
    transfer(2, { reason: "Invoice 7" }),
    transfer(3, { kind: "adjustment", reason: null }),
  ];
  show(() => ({ data, next: null }));
  const [usage, grant, adjustment] = await rows();
  expect(usage?.[2]).toContain("View request");
  expect(screen.getByRole("link", { name: "View request" }).getAttribute("href")).toBe(
    `/logs?open=${idOf(1)}`,
  );
  expect(grant?.[2]).toContain("Invoice 7");
  expect(adjustment?.[2]).toContain("–");
});

describe("the kind of transfer", () => {
  test("narrows the list, from its newest page on", async () => {
    const next = { created_at: "2026-11-01T00:00:00.000Z", id: idOf(1) };
    const { user, server } = show(({ after }) => ({
      data: [transfer(1, {})],
      next: after ? null : next,
    }));
    await rows();
    await user.click(screen.getByRole("button", { name: "Older" }));
    await waitFor(() => expect(server.inputsOf("credits.transfers").at(-1)).toEqual({ after: next }));
    await user.selectOptions(screen.getByLabelText("Kind of transfer"), "Refunds");
    await waitFor(() => expect(server.inputsOf("credits.transfers").at(-1)).toEqual({ kind: "refund" }));
  });

  test("without a transfer can be given up", async () => {
    const { user } = show(({ kind }) => ({ data: kind ? [] : [transfer(1, {})], next: null }));
    await rows();
    await user.selectOptions(screen.getByLabelText("Kind of transfer"), "Grants");
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await rows()).toHaveLength(1);
    expect(screen.getByLabelText<HTMLSelectElement>("Kind of transfer").value).toBe("");
  });
});

test("the pages lead to older transfers and back", async () => {
  const next = { created_at: "2026-11-01T00:00:00.000Z", id: idOf(1) };
  const { user } = show(({ after }) => ({
    data: [transfer(1, { reason: after ? "Old" : "New" })],
    next: after ? null : next,
  }));
  await screen.findByText("New");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Newest" }).disabled).toBe(true);
  await user.click(screen.getByRole("button", { name: "Older" }));
  await screen.findByText("Old");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Older" }).disabled).toBe(true);
  await user.click(screen.getByRole("button", { name: "Newest" }));
  await screen.findByText("New");
});

test("without any transfer it names what will be recorded", async () => {
  show(() => ({ data: [], next: null }));
  await screen.findByText("No transfers yet");
  expect(screen.queryByRole("button", { name: "Older" })).toBeNull();
});

test("a ledger that cannot be loaded shows why, and the request to name", async () => {
  show(() => {
    throw new Refusal("SERVICE_UNAVAILABLE", "Try again later");
  });
  const { textContent } = await screen.findByRole("alert");
  expect(textContent).toContain("Try again later");
  expect(textContent).toContain(requestId);
});
