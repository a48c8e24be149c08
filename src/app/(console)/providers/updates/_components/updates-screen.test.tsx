import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { CatalogueComparison, CatalogueDifference } from "#contract/catalogue-update.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { UpdatesScreen } from "./updates-screen.tsx";

const [current, base] = ["0", "1"].map((digit) => digit.repeat(64)) as [string, string];
const update = (more: Partial<CatalogueComparison> = {}): CatalogueComparison => ({
  ...{ id: "018f0000-0000-7000-8000-000000000001", state: "proposed", in_use: false, problem: null },
  ...{ source: "newer.json", as_of: "2026-11-20", digest: current, compared_with: base },
  ...{ created_at: "2026-11-20T10:00:00.000Z", applied_at: null, undone_at: null },
  counts: [
    { group: "prices", added: 0, removed: 0, changed: 2 },
    { group: "models", added: 1, removed: 0, changed: 0 },
  ],
  ...{ new_hosts: [], unused_entries: [] },
  rules: {
    ...{ admitted_count: 0, admitted: [], excluded_count: 0, excluded: [] },
    ...{ unserved_count: 0, unserved: [] },
  },
  other_organisations: { checked_count: 0, unserved_count: 0 },
  ...more,
});
const difference: CatalogueDifference = {
  ...{ group: "prices", section: "endpoint", name: "acme:lab/chat", change: "changed", field: "price" },
  before: { currency: "EUR", input: "0.10", output: "0.30" },
  after: { currency: "EUR", input: "0.20", output: "0.30" },
  overridden_by: "price_book",
};

type UpdateAnswers = NonNullable<Answers["catalogueUpdates"]>;
interface Shown {
  readonly of?: CatalogueComparison;
  readonly search?: string;
  readonly operator?: boolean;
  readonly answers?: UpdateAnswers;
}
const visit = ({ of = update(), search = "", operator = true, answers = {} }: Shown = {}) =>
  renderConsole(<UpdatesScreen />, {
    pathname: "/providers/updates",
    search,
    session: { operator },
    answers: {
      catalogueUpdates: {
        list: () => listOf(of),
        get: () => ({ data: of }),
        differences: () => listOf(difference),
        ...answers,
      },
    },
  });
const opened = `?open=${update().id}`;
const applied = () => ({ data: { id: update().id } });

test("a file is sent as text with its name, and its differences are shown before anything applies", async () => {
  const { user, server } = visit({ search: "?add=update", answers: { create: () => ({ data: update() }) } });
  const form = await screen.findByRole("form", { name: "Catalogue file" });
  const compare = within(form).getByRole("button", { name: "Compare" });
  expect(compare.hasAttribute("disabled")).toBe(true);
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("There is no field for a file");
  await user.upload(input, new File(["{}"], "newer.json", { type: "application/json" }));
  await user.click(compare);
  expect(await screen.findByText("3 differences from the catalogue in use")).toBeDefined();
  expect(server.inputsOf("catalogueUpdates.create")).toEqual([{ document: "{}", name: "newer.json" }]);
  expect(server.inputsOf("catalogueUpdates.applyUpdate")).toEqual([]);
});

test("a refused address is reported in the form", async () => {
  const { user } = visit({
    search: "?add=update",
    answers: { create: refusing("BAD_REQUEST", "url: the server answered with status 404") },
  });
  await user.type(await screen.findByLabelText("Or an address"), "https://example.eu/c.json");
  await user.click(screen.getByRole("button", { name: "Compare" }));
  expect(await screen.findByText(/answered with status 404/)).toBeDefined();
});

describe("a compared update", () => {
  test("shows counts, values, and what has no effect", async () => {
    visit({ search: opened });
    const kinds = await screen.findByRole("table", { name: "Differences by kind" });
    expect(within(kinds).getByRole("row", { name: "Prices 2 changed" })).toBeDefined();
    const table = await screen.findByRole("table", { name: "Differences" });
    expect(await within(table).findByText(/input 0.10 → input 0.20/)).toBeDefined();
    expect(within(table).getByText("No effect: the price book has its own value")).toBeDefined();
    expect(screen.getByText(/The same endpoints are eligible/)).toBeDefined();
  });

  test("shows what changes under the routing rules, and entries that would not be used any more", async () => {
    const problem = 'model: "lab/chat" is not known';
    const rules = {
      ...{
        admitted_count: 0,
        admitted: [],
        excluded_count: 7,
        excluded: ["a", "b", "c", "d", "e", "f", "g"],
      },
      ...{ unserved_count: 1, unserved: ["lab/chat"] },
    };
    const unused_entries = [{ section: "endpoint" as const, name: "own:lab/chat", problem }];
    visit({ search: opened, of: update({ rules, unused_entries }) });
    expect(
      (await screen.findByText(/Endpoints that are removed or no longer eligible: 7/)).textContent,
    ).toContain("and 2 more");
    expect(screen.getByText(/Models that lose their last eligible endpoint: 1/).textContent).toContain(
      "lab/chat",
    );
    expect(screen.getByText(/is not known/)).toBeDefined();
  });

  test.each([
    [
      { checked_count: 12, unserved_count: 3 },
      /Of the 12 other organisations with routing rules, 3 would lose/,
    ],
    [{ checked_count: 1, unserved_count: 0 }, /Of the 1 other organisation with routing rules, none loses/],
  ])("counts other organisations whose rules are affected: %j", async (other_organisations, text) => {
    visit({ search: opened, of: update({ other_organisations }) });
    expect(await screen.findByText(text)).toBeDefined();
  });

  test("is applied to the catalogue that it was compared with", async () => {
    const { user, server } = visit({ search: opened, answers: { applyUpdate: applied } });
    await user.click(await screen.findByRole("button", { name: "Apply update" }));
    await waitFor(() =>
      expect(server.inputsOf("catalogueUpdates.applyUpdate")).toEqual([
        { id: update().id, compared_with: base, accept_hosts: [] },
      ]),
    );
    expect(await screen.findByText("newer.json is applied.")).toBeDefined();
  });

  test("with new hosts is applied only after they were checked", async () => {
    const of = update({ new_hosts: [{ provider: "acme", host: "api.acme.example" }] });
    const { user, server } = visit({ search: opened, of, answers: { applyUpdate: applied } });
    const button = await screen.findByRole("button", { name: "Apply update" });
    expect(button.hasAttribute("disabled")).toBe(true);
    await user.click(screen.getByRole("checkbox", { name: "I checked the new hosts" }));
    await user.click(button);
    await waitFor(() =>
      expect(server.inputsOf("catalogueUpdates.applyUpdate")).toMatchObject([
        { accept_hosts: ["api.acme.example"] },
      ]),
    );
  });

  test("that is in use can be undone", async () => {
    const of = update({ in_use: true, state: "applied", applied_at: "2026-11-20T11:00:00.000Z" });
    const { user, server } = visit({ search: opened, of, answers: { undoUpdate: applied } });
    expect(await screen.findByText("3 differences from the catalogue before it")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Undo update" }));
    await waitFor(() => expect(server.inputsOf("catalogueUpdates.undoUpdate")).toEqual([{ id: of.id }]));
  });
});

test("who is not the operator gets no button and asks for nothing", async () => {
  const { server } = visit({ operator: false });
  expect(await screen.findByRole("heading", { level: 1 })).toBeDefined();
  expect(screen.queryByRole("button", { name: "Update catalogue" })).toBeNull();
  expect(server.inputsOf("catalogueUpdates.list")).toEqual([]);
});
