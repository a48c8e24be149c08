import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Budget, type BudgetUse } from "#contract/budget.ts";
import { Role } from "#contract/permission.ts";
import { Tag } from "#contract/tag.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { confirmByName } from "#test/console/confirm.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, refusing, requestId } from "#test/console/server.ts";
import { BudgetsScreen } from "./budgets-screen.tsx";

const use = (more: Partial<BudgetUse>): BudgetUse => ({
  ...{ used: 0, held: 0, remaining: 0, counters: 1, values: [], resets_at: null },
  ...more,
});
const budgetOf = (digit: number, name: string, more: Partial<Budget>): Budget => ({
  ...sampleOf(Budget),
  id: `018f0000-0000-7000-8000-00000000000${digit}`,
  name,
  enabled: true,
  dimensions: [],
  problem: null,
  ...more,
});
const monthly = budgetOf(1, "All of us", {
  ...{ measure: "eur", limit: 200, period: "month" },
  use: use({ used: 190, remaining: 10, resets_at: "2100-01-01T00:00:00.000Z" }),
});
const perUser = budgetOf(2, "Per end user", {
  ...{ measure: "tokens", limit: 1_000, period: "day", enabled: false },
  dimensions: [{ dimension: "end_user", value: null }],
  use: use({ used: 1_000, counters: 3, values: ["ada"], resets_at: "2100-01-01T00:00:00.000Z" }),
});
const parallel = budgetOf(3, "Two at once", {
  ...{ measure: "concurrency", limit: 2, period: "none" },
  use: use({ held: 1, remaining: 2 }),
});

type BudgetAnswers = NonNullable<Answers["budgets"]>;
const previewed = {
  refusal: { status: 402, code: "INSUFFICIENT_QUOTA", message: "Too expensive", headers: {} },
  past: {
    ...{ since: "2026-10-26T00:00:00.000Z", truncated: false },
    ...{ requests: 120, stopped: 7, exhausted: 2, highest: 31.5 },
  },
};
interface Shown {
  readonly budgets?: BudgetAnswers;
  readonly role?: Role;
  readonly search?: string;
}
const visit = ({ budgets = {}, ...options }: Shown = {}) =>
  renderConsole(<BudgetsScreen />, {
    pathname: "/budgets",
    ...options,
    answers: {
      catalogue: { models: () => ({ data: [] }) },
      keys: { list: () => ({ data: [], total_count: 0 }) },
      tags: {
        list: () => ({
          data: ["end_user", "metadata.team"].map((name) => ({ ...sampleOf(Tag), name })),
        }),
      },
      budgets: {
        list: () => ({ data: [monthly, perUser, parallel], total_count: 3 }),
        preview: () => ({ data: previewed }),
        counters: () => ({ data: [], total_count: 0 }),
        ...budgets,
      },
    },
  });
const rowOf = async (name: string) => {
  const opener = await screen.findByRole("button", { name: new RegExp(`^${name}`) });
  return opener.closest("tr") ?? opener;
};

describe("the list", () => {
  test("shows what each budget limits, how much is used and left, and the value with the highest use", async () => {
    visit();
    const company = await rowOf("All of us");
    expect(company.textContent).toContain("€200.00 per month for the whole organisation");
    expect(company.textContent).toContain("€190.00 of €200.00 · €10.00 left");
    const bar = within(company).getByRole("progressbar", { name: "Use of All of us" });
    expect(bar.getAttribute("aria-valuenow")).toBe("95");
    const users = await rowOf("Per end user");
    expect(users.textContent).toContain("1,000 tokens per day for each end user");
    expect(users.textContent).toContain("1,000 of 1,000 tokens · nothing left");
    expect(users.textContent).toContain("Highest: ada (of 3)");
    expect((await rowOf("Two at once")).textContent).toContain("1 of 2 parallel requests");
  });

  test("asks the server for what the filters say, from the first page", async () => {
    const { user, server } = visit({ search: "?page=1" });
    await rowOf("All of us");
    await user.selectOptions(screen.getByLabelText("Measure"), "tokens");
    await user.selectOptions(screen.getByLabelText("Period"), "day");
    await user.selectOptions(screen.getByLabelText("Status"), "off");
    await fill(user, screen.getByLabelText("Search"), " user ");
    await waitFor(() =>
      expect(server.inputsOf("budgets.list").at(-1)).toEqual({
        ...{ limit: "50", offset: "0", search: "user", measure: "tokens", period: "day", enabled: "false" },
      }),
    );
  });

  test("explains what budgets are when there are none, and names the request when it cannot be loaded", async () => {
    const empty = visit({ budgets: { list: () => ({ data: [], total_count: 0 }) } });
    expect((await screen.findByText("No budgets yet")).parentElement?.textContent).toContain("refused");
    empty.unmount();
    visit({ budgets: { list: refusing("INTERNAL_ERROR", "Out of order") } });
    expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  });

  test("switches a budget on and off", async () => {
    const { user, server } = visit({ budgets: { update: () => ({ data: monthly }) } });
    await rowOf("All of us");
    await user.click(await screen.findByRole("switch", { name: "All of us is enabled" }));
    await waitFor(() =>
      expect(server.inputsOf("budgets.update")).toEqual([{ id: monthly.id, enabled: false }]),
    );
  });
});

describe("creating", () => {
  test("sends what was chosen, and shows beside it what the budget would have done", async () => {
    const { user, server } = visit({ search: "?edit=new", budgets: { create: () => ({ data: monthly }) } });
    const form = await screen.findByRole("form", { name: "Budget" });
    await fill(user, within(form).getByLabelText(/^Name/), " Per model ");
    await user.selectOptions(within(form).getByLabelText("Measure"), "usd");
    await user.selectOptions(within(form).getByLabelText("Period"), "week");
    await fill(user, within(form).getByLabelText(/^Limit in US dollars/), "12.5");
    await user.selectOptions(within(form).getByLabelText("Model"), "each");
    await user.selectOptions(within(form).getByLabelText("End user"), "=");
    await fill(user, within(form).getByLabelText("Value of end user"), "ada");
    await screen.findByText("7 of 120 requests would have been stopped");
    expect(screen.getByText("Too expensive")).toBeDefined();
    expect(screen.getByRole("table", { name: "Last 30 days" }).textContent).toContain("$31.50");
    await user.click(within(form).getByRole("button", { name: "Create" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(server.inputsOf("budgets.create")).toEqual([
      {
        ...{ name: "Per model", measure: "usd", limit: 12.5, period: "week", enabled: true },
        dimensions: [
          { dimension: "model", value: null },
          { dimension: "end_user", value: "ada" },
        ],
      },
    ]);
    await waitFor(() => expect(server.inputsOf("budgets.list")).toHaveLength(2));
  });

  test("offers the tags of the organisation, and takes any other key of metadata", async () => {
    const { user, server } = visit({ search: "?edit=new", budgets: { create: () => ({ data: monthly }) } });
    const form = await screen.findByRole("form", { name: "Budget" });
    await fill(user, within(form).getByLabelText(/^Name/), "Research");
    await fill(user, within(form).getByLabelText(/^Limit in euros/), "12.5");
    await user.selectOptions(await within(form).findByLabelText("metadata.team"), "=");
    await fill(user, within(form).getByLabelText("Value of metadata.team"), "research");
    const other = within(form).getByLabelText("Another key of metadata");
    await fill(user, other, "a b");
    expect(within(form).getByText(/^may have letters/)).toBeDefined();
    expect(within(form).getByRole("button", { name: "Add" }).hasAttribute("disabled")).toBe(true);
    await fill(user, other, "site");
    await user.type(other, "{Enter}");
    expect(server.inputsOf("budgets.create")).toEqual([]);
    expect(within(form).getByLabelText<HTMLSelectElement>("metadata.site").value).toBe("each");
    await user.click(within(form).getByRole("button", { name: "Create" }));
    await waitFor(() => expect(server.inputsOf("budgets.create")).toHaveLength(1));
    expect(server.inputsOf("budgets.create")[0]).toMatchObject({
      dimensions: [
        { dimension: "metadata.site", value: null },
        { dimension: "metadata.team", value: "research" },
      ],
    });
  });

  test("of parallel requests has no period and no preview of the past", async () => {
    const { user, server } = visit({
      search: "?edit=new",
      budgets: {
        create: () => ({ data: parallel }),
        preview: () => ({ data: { ...previewed, past: null } }),
      },
    });
    const form = await screen.findByRole("form", { name: "Budget" });
    await fill(user, within(form).getByLabelText(/^Name/), "At once");
    await user.selectOptions(within(form).getByLabelText("Measure"), "concurrency");
    expect(within(form).queryByLabelText("Period")).toBeNull();
    await fill(user, within(form).getByLabelText(/^Limit of parallel requests/), "2");
    await screen.findByText(/is not recorded/);
    await user.click(within(form).getByRole("button", { name: "Create" }));
    await waitFor(() => expect(server.inputsOf("budgets.create")).toHaveLength(1));
    expect(server.inputsOf("budgets.create")[0]).toMatchObject({ measure: "concurrency", period: "none" });
  });

  test("that is refused shows the reason and keeps what was typed", async () => {
    const { user } = visit({
      search: "?edit=new",
      budgets: { create: refusing("CONFLICT", "A budget of this name exists") },
    });
    const form = await screen.findByRole("form", { name: "Budget" });
    await fill(user, within(form).getByLabelText(/^Name/), "All of us");
    await fill(user, within(form).getByLabelText(/^Limit/), "1");
    await user.click(within(form).getByRole("button", { name: "Create" }));
    expect((await within(form).findByRole("alert")).textContent).toContain("A budget of this name exists");
    expect(within(form).getByLabelText<HTMLInputElement>(/^Name/).value).toBe("All of us");
  });
});

describe("a stored budget", () => {
  test("shows its use by value, the highest first, and searches the values", async () => {
    const { user, server } = visit({
      search: `?edit=${perUser.id}`,
      budgets: {
        counters: () => ({
          data: [{ values: ["ada"], used: 900, held: 0, remaining: 100, resets_at: null }],
          total_count: 1,
        }),
      },
    });
    const table = await screen.findByRole("table", { name: "Use by value" });
    await within(table).findByText("ada");
    expect(table.textContent).toContain("900 of 1,000 tokens · 100 left");
    await fill(user, screen.getByLabelText("Search values"), "ad");
    await waitFor(() =>
      expect(server.inputsOf("budgets.counters").at(-1)).toMatchObject({ id: perUser.id, search: "ad" }),
    );
    expect(screen.getByText(/This budget is disabled/)).toBeDefined();
  });

  test("changes its name and limit, and nothing else", async () => {
    const { user, server } = visit({
      search: `?edit=${monthly.id}`,
      budgets: { update: () => ({ data: monthly }) },
    });
    const form = await screen.findByRole("form", { name: "Budget" });
    expect(within(form).queryByLabelText("Measure")).toBeNull();
    await fill(user, within(form).getByLabelText(/^Limit in euros/), "250");
    await user.click(within(form).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(server.inputsOf("budgets.update")).toHaveLength(1));
    expect(server.inputsOf("budgets.update")).toEqual([{ id: monthly.id, name: "All of us", limit: 250 }]);
  });

  test("is deleted after its name was typed", async () => {
    const { user, server } = visit({
      search: `?edit=${monthly.id}`,
      budgets: { remove: () => ({ deleted: true, data: { success: true } }) },
    });
    const form = await screen.findByRole("form", { name: "Budget" });
    await user.click(within(form).getByRole("button", { name: "Delete" }));
    expect(server.inputsOf("budgets.remove")).toEqual([]);
    await confirmByName(user, "Delete All of us", "All of us");
    await waitFor(() => expect(server.inputsOf("budgets.remove")).toEqual([{ id: monthly.id }]));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("of another page is asked for by its ID", async () => {
    const { server } = visit({
      search: `?edit=${perUser.id}`,
      budgets: { list: () => ({ data: [monthly], total_count: 60 }), get: () => ({ data: perUser }) },
    });
    expect(await screen.findByRole("dialog", { name: "Per end user" })).toBeDefined();
    expect(server.inputsOf("budgets.get")).toEqual([{ id: perUser.id }]);
  });
});

test.each(Role.options)("a person who is %s changes budgets as the server allows", async (role) => {
  visit({ role });
  await rowOf("All of us");
  const mayWrite = permissionsOf(role).has("workspaces:write");
  await waitFor(() => {
    expect(screen.queryByRole("button", { name: "Create budget" }) !== null).toBe(mayWrite);
    expect(screen.queryByRole("switch", { name: "All of us is enabled" }) !== null).toBe(mayWrite);
  });
});

test("a budget that cannot be read says so in its row, and what that means where it is changed", async () => {
  const unread = budgetOf(4, "Old", { problem: "0.dimension: must be workspace or key" });
  const { user } = visit({ budgets: { list: () => ({ data: [unread], total_count: 1 }) } });
  const row = await rowOf("Old");
  expect(row.textContent).toContain("Cannot be read");
  expect(row.textContent).toContain("for unknown requests");
  await user.click(within(row).getByRole("button", { name: /^Old/ }));
  expect((await screen.findByRole("alert")).textContent).toMatch(
    /all requests of the organisation are refused.*The problem: 0.dimension: must be workspace or key/,
  );
});
