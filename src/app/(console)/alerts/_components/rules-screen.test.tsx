import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { AlertChannel } from "#contract/alert-channel.ts";
import type { AlertRule } from "#contract/alert-rule.ts";
import { alertKindNames, alertKindTexts } from "#contract/alert-texts.ts";
import type { Role } from "#contract/permission.ts";
import { confirmByName } from "#test/console/confirm.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing, requestId } from "#test/console/server.ts";
import { RulesScreen } from "./rules-screen.tsx";
import { settingsOf, typedByDefault } from "./settings-schema.ts";

const at = "2026-11-20T12:00:00.000Z";
const idOf = (digit: number) => `018f0000-0000-7000-8000-00000000000${digit}`;
const channel: AlertChannel = {
  ...{
    id: idOf(9),
    name: "On call",
    type: "webhook",
    target: "https://hooks.example",
    is_signed: true,
    ...{ paused: null, confirmation: "not_needed", confirmation_expires_at: null, problem: null },
  },
  ...{ created_at: at, updated_at: at },
};
const ruleOf = (digit: number, name: string, more: Partial<AlertRule> = {}): AlertRule => ({
  ...{ id: idOf(digit), name, kind: "low_credit", scope: "organisation", settings: { below_eur: 5 } },
  ...{ channel_ids: [], enabled: true, muted_until: null, open_incidents: 0, problem: null },
  ...{ created_at: at, updated_at: at },
  ...more,
});
const budgets = ruleOf(1, "Budgets", {
  ...{ kind: "budget", settings: { thresholds: [80, 100], of: "any", budget_id: null } },
  ...{ channel_ids: [channel.id], open_incidents: 2 },
});

interface Visit {
  readonly rules?: readonly AlertRule[];
  readonly alertRules?: Answers["alertRules"];
  readonly role?: Role;
  readonly search?: string;
  readonly operator?: boolean;
}
const visit = ({ rules = [budgets], alertRules, operator = false, ...options }: Visit = {}) =>
  renderConsole(<RulesScreen />, {
    pathname: "/alerts",
    session: { operator },
    ...options,
    answers: {
      alertChannels: { list: () => listOf(channel) },
      budgets: { list: () => listOf() },
      alertRules: {
        list: () => listOf(...rules),
        create: ({ name }) => ({ data: ruleOf(5, name) }),
        update: () => ({ data: budgets }),
        remove: () => ({ data: { success: true as const } }),
        ...alertRules,
      },
    },
  });
const rowOf = async (name: string) => {
  const opener = await screen.findByRole("button", { name: new RegExp(`^${name}`) });
  return opener.closest("tr") ?? opener;
};

describe("the list", () => {
  test("shows what each rule watches, whom it notifies, and what is open", async () => {
    visit({
      rules: [
        budgets,
        ruleOf(2, "Quiet", { muted_until: "2100-01-01T00:00:00.000Z" }),
        ruleOf(3, "Everybody", { scope: "installation", enabled: false }),
      ],
    });
    const row = await rowOf("Budgets");
    expect(row.textContent).toContain("Budget threshold · at 80, 100 %");
    await waitFor(() => expect(row.textContent).toContain("On call"));
    const open = within(row).getByRole("link", { name: "2 open" });
    expect(open.getAttribute("href")).toBe(`/alerts/incidents?state=open&rule=${budgets.id}`);
    const quiet = await rowOf("Quiet");
    expect(quiet.textContent).toContain("Muted until 1 Jan 2100");
    expect(quiet.textContent).toContain("Nobody");
    const everybody = await rowOf("Everybody");
    expect(everybody.textContent).toContain("Low credit · at €5.00 or less · all organisations");
    expect(everybody.textContent).toContain("Off");
  });

  test("has a summary for every kind with its defaults", async () => {
    visit({
      rules: alertKindNames.map((kind, digit) =>
        ruleOf(digit, `Rule ${digit}`, {
          kind,
          settings: settingsOf(kind, typedByDefault(kind)),
        }),
      ),
    });
    for (const [digit, kind] of alertKindNames.entries()) {
      const { textContent } = await rowOf(`Rule ${digit}`);
      expect(textContent).toContain(alertKindTexts[kind].title);
      expect(textContent).not.toContain("undefined");
    }
  });

  test("asks the server for what the filters say, from the first page", async () => {
    const { user, server } = visit({ search: "?page=1" });
    await rowOf("Budgets");
    await user.selectOptions(screen.getByLabelText("Kind"), "low_credit");
    await waitFor(() =>
      expect(server.inputsOf("alertRules.list").at(-1)).toEqual({
        limit: "50",
        offset: "0",
        kind: "low_credit",
      }),
    );
  });

  test("switches a rule off", async () => {
    const { user, server } = visit();
    await user.click(within(await rowOf("Budgets")).getByRole("switch"));
    await waitFor(() =>
      expect(server.inputsOf("alertRules.update")).toEqual([{ id: budgets.id, enabled: false }]),
    );
  });

  test("that cannot be loaded names the request", async () => {
    visit({ alertRules: { list: refusing("INTERNAL_ERROR", "Out of order") } });
    expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  });

  test("has no controls for those who may only see it", async () => {
    visit({ role: "member" });
    expect(within(await rowOf("Budgets")).queryByRole("switch")).toBeNull();
    expect(screen.queryByRole("button", { name: "Create rule" })).toBeNull();
  });
});

describe("the form", () => {
  test("creates a rule with the settings of its kind and its channels", async () => {
    const { user, server } = visit({ search: "?edit=new", rules: [] });
    const sheet = within(await screen.findByRole("dialog", { name: "Create an alert rule" }));
    await user.type(sheet.getByLabelText(/^Name/), "Slow");
    await user.selectOptions(sheet.getByLabelText(/^Kind/), "p95_latency");
    await fill(user, sheet.getByLabelText("Latency in milliseconds"), "2500");
    await user.selectOptions(sheet.getByLabelText("Group by"), "model");
    await user.click(sheet.getByRole("combobox", { name: "Channels" }));
    await user.click(await screen.findByRole("option", { name: "On call" }));
    await user.click(sheet.getByRole("button", { name: "Create" }));
    await waitFor(() =>
      expect(server.inputsOf("alertRules.create")).toEqual([
        {
          ...{ name: "Slow", kind: "p95_latency", scope: "organisation", enabled: true, muted_until: null },
          channel_ids: [channel.id],
          settings: {
            ...{ above_ms: 2_500, measure: "duration", window_minutes: 15, min_requests: 20 },
            group_by: "model",
          },
        },
      ]),
    );
    await screen.findByText("Slow is created.");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("names what is wrong beside its field, and sends nothing", async () => {
    const { user, server } = visit({ search: "?edit=new" });
    const sheet = within(await screen.findByRole("dialog", { name: "Create an alert rule" }));
    await fill(user, sheet.getByLabelText("Thresholds in percent"), "80, 120");
    await user.click(sheet.getByRole("button", { name: "Create" }));
    expect(await sheet.findByText("Must be 100 or less")).toBeTruthy();
    expect(sheet.getByText("Must not be empty")).toBeTruthy();
    expect(server.inputsOf("alertRules.create")).toEqual([]);
  });

  test("offers the installation's scope and kinds to its operator only", async () => {
    const { unmount } = visit({ search: "?edit=new" });
    const sheet = within(await screen.findByRole("dialog", { name: "Create an alert rule" }));
    expect(sheet.queryByLabelText("Scope")).toBeNull();
    expect(sheet.queryByRole("option", { name: "Stale exchange rate" })).toBeNull();
    unmount();
    const { user, server } = visit({ search: "?edit=new", operator: true });
    const operated = within(await screen.findByRole("dialog", { name: "Create an alert rule" }));
    await user.type(operated.getByLabelText(/^Name/), "Rate");
    await user.selectOptions(operated.getByLabelText(/^Kind/), "stale_exchange_rate");
    await user.click(operated.getByRole("button", { name: "Create" }));
    await waitFor(() =>
      expect(server.inputsOf("alertRules.create")).toMatchObject([{ scope: "installation" }]),
    );
  });

  test("mutes a stored rule for some hours, and leaves what it watches", async () => {
    const { user, server } = visit({ search: `?edit=${budgets.id}` });
    const sheet = within(await screen.findByRole("dialog", { name: "Budgets" }));
    expect(sheet.queryByLabelText(/^Kind/)).toBeNull();
    await user.selectOptions(sheet.getByLabelText("Mute"), "8");
    const before = Date.now();
    await user.click(sheet.getByRole("button", { name: "Save" }));
    await screen.findByText("Budgets is saved.");
    const [sent] = server.inputsOf("alertRules.update") as { muted_until: string }[];
    expect(sent).toMatchObject({ id: budgets.id, settings: { thresholds: [80, 100], budget_id: null } });
    const hours = (Date.parse(sent?.muted_until ?? "") - before) / 3_600_000;
    expect(hours).toBeGreaterThan(7.9);
    expect(hours).toBeLessThan(8.1);
  });

  test("says of a rule that cannot be read why, and that it is not evaluated", async () => {
    const unread = ruleOf(3, "Newer", { problem: "kind: is not known (stored: carbon)" });
    visit({ rules: [unread], search: `?edit=${unread.id}` });
    const sheet = within(await screen.findByRole("dialog", { name: "Newer" }));
    expect(sheet.getByRole("alert").textContent).toMatch(/not evaluated.*kind: is not known/);
    expect(screen.getByText("Cannot be read")).toBeDefined();
  });

  test("deletes a rule after its name was typed", async () => {
    const { user, server } = visit({ search: `?edit=${budgets.id}` });
    const sheet = within(await screen.findByRole("dialog", { name: "Budgets" }));
    await user.click(sheet.getByRole("button", { name: "Delete" }));
    await confirmByName(user, "Delete Budgets", "Budgets");
    await waitFor(() => expect(server.inputsOf("alertRules.remove")).toEqual([{ id: budgets.id }]));
    expect(server.inputsOf("alertRules.update")).toEqual([]);
  });

  test("shows why the server refused", async () => {
    const create = refusing("CONFLICT", "name: there is an alert rule of this name already");
    const { user } = visit({ search: "?edit=new", alertRules: { create } });
    const sheet = within(await screen.findByRole("dialog", { name: "Create an alert rule" }));
    await user.type(sheet.getByLabelText(/^Name/), "Budgets");
    await user.click(sheet.getByRole("button", { name: "Create" }));
    expect((await sheet.findByRole("alert")).textContent).toContain("there is an alert rule of this name");
  });
});
