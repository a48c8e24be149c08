import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { AlertIncident, AlertIncidentUpdate, AlertNotification } from "#contract/alert-incident.ts";
import type { Role } from "#contract/permission.ts";
import { renderConsole } from "#test/console/render.tsx";
import { listOf } from "#test/console/server.ts";
import { IncidentsScreen } from "./incidents-screen.tsx";

const at = "2026-11-20T12:00:00.000Z";
const idOf = (digit: number) => `018f0000-0000-7000-8000-00000000000${digit}`;
const notificationOf = (digit: number, more: Partial<AlertNotification> = {}): AlertNotification => ({
  ...{ id: idOf(digit), channel_id: idOf(8), channel_name: "On call", event: "opened" },
  ...{ status: "sent", attempts: 1, last_error: null, sent_at: at },
  ...more,
});
const incidentOf = (digit: number, title: string, more: Partial<AlertIncident> = {}): AlertIncident => ({
  ...{
    id: idOf(digit),
    rule_id: idOf(9),
    rule_name: "Credit",
    rule_deleted: false,
    kind: "low_credit",
    subject: "org",
  },
  ...{
    title,
    detail: "EUR 1.20 left",
    state: "open",
    opened_at: at,
    resolved_at: null,
    resolution: null,
    muted: false,
    muted_until: null,
    problem: null,
  },
  notifications: [],
  ...more,
});
const failing = incidentOf(1, "Credit is low", {
  notifications: [
    notificationOf(3),
    notificationOf(4, {
      ...{ channel_name: "Chat", status: "failed", attempts: 7, last_error: "Answered 404", sent_at: null },
    }),
  ],
});

const visit = (list: readonly AlertIncident[], search = "", role: Role = "admin") => {
  const all = [...list];
  return renderConsole(<IncidentsScreen />, {
    pathname: "/alerts/incidents",
    search,
    role,
    answers: {
      alertIncidents: {
        list: () => listOf(...all),
        update({ id, muted_until }: AlertIncidentUpdate) {
          const at = all.findIndex((one) => one.id === id);
          const data = { ...(all[at] as AlertIncident), muted_until };
          all[at] = data;
          return { data };
        },
      },
      alertRules: { list: () => listOf() },
    },
  });
};
const rowOf = async (title: string) =>
  (await screen.findByRole("button", { name: new RegExp(`^${title}`) })).closest("tr")?.textContent ?? "";

test("the list shows what was found, whether it is over, and what became of the notifications", async () => {
  visit([
    failing,
    incidentOf(2, "Over", { state: "resolved", resolved_at: at, notifications: [notificationOf(5)] }),
    incidentOf(6, "Silent", { muted: true }),
    incidentOf(7, "Unheard"),
  ]);
  const row = await rowOf("Credit is low");
  for (const text of ["EUR 1.20 left", "Open", "1 given up, 1 sent"]) expect(row).toContain(text);
  const over = await rowOf("Over");
  for (const text of ["Resolved", "1 sent"]) expect(over).toContain(text);
  expect(await rowOf("Silent")).toContain("Muted");
  expect(await rowOf("Unheard")).toContain("No channel");
});

test("an incident shows its rule, and each notification with the reason why it failed", async () => {
  const { user } = visit([failing]);
  await user.click(await screen.findByRole("button", { name: /^Credit is low/ }));
  const sheet = within(await screen.findByRole("dialog", { name: "Credit is low" }));
  expect(sheet.getByRole("link", { name: "Credit" }).getAttribute("href")).toBe(`/alerts?edit=${idOf(9)}`);
  const table = within(sheet.getByRole("table", { name: "Notifications" }));
  expect(table.getByText("Alert to On call")).toBeTruthy();
  expect(table.getByText("Given up")).toBeTruthy();
  expect(table.getByText("Answered 404 (7 attempts)")).toBeTruthy();
});

test("an incident of a deleted rule says so, and has no link to it", async () => {
  const [rule_deleted, state, resolution] = [true, "resolved", "rule_deleted"] as const;
  const { user } = visit([incidentOf(1, "Over", { rule_deleted, state, resolution, resolved_at: at })]);
  await user.click(await screen.findByRole("button", { name: /^Over/ }));
  const sheet = within(await screen.findByRole("dialog", { name: "Over" }));
  expect(sheet.queryByRole("link")).toBeNull();
  expect(sheet.getByText("Credit (deleted)")).toBeTruthy();
  expect(sheet.getByText(/because the rule was deleted/)).toBeTruthy();
});

test("the server is asked for what the filters and links say", async () => {
  const { user, server } = visit([failing], `?state=open&rule=${idOf(9)}&page=2`);
  await rowOf("Credit is low");
  expect(server.inputsOf("alertIncidents.list").at(-1)).toEqual({
    ...{ limit: "50", offset: "100", state: "open", rule_id: idOf(9) },
  });
  await user.selectOptions(screen.getByLabelText("Kind"), "budget");
  await waitFor(() =>
    expect(server.inputsOf("alertIncidents.list").at(-1)).toEqual({
      ...{ limit: "50", offset: "0", state: "open", rule_id: idOf(9), kind: "budget" },
    }),
  );
});

test("an incident is muted for some time, and the mute ended", async () => {
  const { user, server } = visit([failing]);
  await user.click(await screen.findByRole("button", { name: /^Credit is low/ }));
  const sheet = within(await screen.findByRole("dialog", { name: "Credit is low" }));
  await user.click(sheet.getByRole("button", { name: "Mute" }));
  const beforeMs = Date.now();
  await user.click(await screen.findByRole("menuitem", { name: "For 8 hours" }));
  await sheet.findByText(/^Muted until .*What is still open then is sent/);
  const { id, muted_until: until } = server.inputsOf("alertIncidents.update").at(-1) as AlertIncidentUpdate;
  expect(id).toBe(failing.id);
  expect(Math.round((Date.parse(String(until)) - beforeMs) / 3_600_000)).toBe(8);
  expect(await rowOf("Credit is low")).toContain("Muted until");
  await user.click(sheet.getByRole("button", { name: "Muted" }));
  await user.click(await screen.findByRole("menuitem", { name: "End the mute" }));
  await sheet.findByText("Not muted");
  expect(server.inputsOf("alertIncidents.update").at(-1)).toEqual({ id: failing.id, muted_until: null });
});

test.each([
  ["without the permission to change alerts", "member", failing],
  ["of a rule that was deleted", "admin", { ...failing, rule_deleted: true }],
] as const)("an incident %s cannot be muted", async (_, role, incident) => {
  const { user } = visit([incident], "", role);
  await user.click(await screen.findByRole("button", { name: /^Credit is low/ }));
  const sheet = within(await screen.findByRole("dialog", { name: "Credit is low" }));
  expect(sheet.getByText("Not muted")).toBeTruthy();
  expect(sheet.queryByRole("button", { name: "Mute" })).toBeNull();
});
