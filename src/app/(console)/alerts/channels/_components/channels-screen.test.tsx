import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { AlertChannel } from "#contract/alert-channel.ts";
import type { Role } from "#contract/permission.ts";
import { confirmByName } from "#test/console/confirm.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { ChannelsScreen } from "./channels-screen.tsx";

const at = "2026-11-20T12:00:00.000Z";
const channelOf = (digit: number, name: string, more: Partial<AlertChannel> = {}): AlertChannel => ({
  ...{ id: `018f0000-0000-7000-8000-00000000000${digit}`, name, type: "webhook" },
  ...{ target: "https://hooks.example", is_signed: false, paused: null, created_at: at, updated_at: at },
  ...{ confirmation: "not_needed", confirmation_expires_at: null, problem: null },
  ...more,
});
const hook = channelOf(1, "Hook", { is_signed: true });
const secret = `whsec_${"A".repeat(32)}`;

interface Visit {
  readonly list?: readonly AlertChannel[];
  readonly alertChannels?: Answers["alertChannels"];
  readonly role?: Role;
  readonly search?: string;
}
const visit = ({ list = [hook], alertChannels, ...options }: Visit = {}) =>
  renderConsole(<ChannelsScreen />, {
    pathname: "/alerts/channels",
    ...options,
    answers: {
      alertChannels: {
        list: () => listOf(...list),
        create: ({ name }) => ({ data: channelOf(5, name) }),
        update: () => ({ data: hook }),
        remove: () => ({ data: { success: true as const } }),
        test: () => ({ data: { success: true, message: "The receiver accepted the test" } }),
        ...alertChannels,
      },
    },
  });
const opened = async (name: string) => within(await screen.findByRole("dialog", { name }));

test("a channel that cannot be read says why, and that nothing is sent to it", async () => {
  const unread = channelOf(4, "Newer", { problem: "type: is not known (stored: pager)" });
  visit({ list: [unread], search: `?edit=${unread.id}` });
  const sheet = await opened("Newer");
  expect(sheet.getByRole("alert").textContent).toMatch(/Nothing is sent.*type: is not known/);
  expect(screen.getByText("Cannot be read")).toBeDefined();
});

test("the list shows the type, the receiver and whether requests are signed", async () => {
  visit({ list: [hook, channelOf(2, "Mail", { type: "email", target: "ada@example.eu" })] });
  const row = (await screen.findByRole("button", { name: /^Hook/ })).closest("tr");
  expect(row?.textContent).toContain("https://hooks.example");
  expect(row?.textContent).toContain("Yes");
  const mail = screen.getByRole("button", { name: /^Mail/ }).closest("tr");
  expect(mail?.textContent).toContain("E-mail");
  expect(mail?.textContent).toContain("ada@example.eu");
});

const paused = channelOf(3, "Down", {
  paused: { reason: "Answered 503", since: at, next_attempt_at: "2026-11-20T12:15:00.000Z" },
});

test("a paused channel says why, since when and when it is tried again", async () => {
  const { user } = visit({ list: [hook, paused] });
  const row = (await screen.findByRole("button", { name: /^Down/ })).closest("tr");
  expect(row?.textContent).toContain("Paused");
  expect((await screen.findByRole("button", { name: /^Hook/ })).closest("tr")?.textContent).toContain(
    "Active",
  );
  await user.click(screen.getByRole("button", { name: /^Down/ }));
  const text = (await opened("Down")).getByRole("alert").textContent;
  for (const part of ["Answered 503", "since", "Next attempt", "Send a test"]) expect(text).toContain(part);
});

const strange = channelOf(4, "Partner", {
  ...{ type: "email", target: "ada@partner.example", confirmation: "pending", confirmation_expires_at: at },
});

test("an address that nobody confirmed says so, cannot be tested, and its owner can be asked again", async () => {
  const { user, server } = visit({
    list: [strange],
    alertChannels: { askConfirmation: () => ({ data: strange }) },
  });
  const row = (await screen.findByRole("button", { name: /^Partner/ })).closest("tr");
  expect(row?.textContent).toContain("Not confirmed");
  await user.click(screen.getByRole("button", { name: /^Partner/ }));
  const sheet = await opened("Partner");
  expect(sheet.getByRole("alert").textContent).toContain("ada@partner.example belongs to no member");
  expect(sheet.getByRole("button", { name: "Send a test" })).toHaveProperty("disabled", true);
  await user.click(sheet.getByRole("button", { name: "Send the mail again" }));
  await screen.findByText("Another mail is sent to ada@partner.example.");
  expect(server.inputsOf("alertChannels.askConfirmation")).toEqual([{ id: strange.id }]);
});

test("a refusal to send another mail is shown", async () => {
  const { user } = visit({
    list: [{ ...strange, confirmation_expires_at: null }],
    search: `?edit=${strange.id}`,
    alertChannels: { askConfirmation: refusing("RATE_LIMIT_EXCEEDED", "Try again tomorrow") },
  });
  const sheet = await opened("Partner");
  expect(sheet.getByText(/too many were sent today/)).toBeTruthy();
  await user.click(sheet.getByRole("button", { name: "Send the mail again" }));
  expect(await sheet.findByText(/Try again tomorrow/)).toBeTruthy();
});

test("an accepted test ends the pause on the screen", async () => {
  let shown = paused;
  const { user } = visit({
    search: `?edit=${paused.id}`,
    alertChannels: {
      list: () => listOf(shown),
      test() {
        shown = { ...paused, paused: null };
        return { data: { success: true, message: "The receiver accepted the test" } };
      },
    },
  });
  const sheet = await opened("Down");
  await user.click(sheet.getByRole("button", { name: "Send a test" }));
  await waitFor(() => expect(sheet.queryByText("Answered 503", { exact: false })).toBeNull());
  expect(sheet.getByText("Test succeeded")).toBeTruthy();
});

test("those who may only see channels have no controls", async () => {
  visit({ role: "viewer", search: `?edit=${hook.id}` });
  const sheet = await opened("Hook");
  expect(sheet.queryByRole("button", { name: "Send a test" })).toBeNull();
  expect(sheet.queryByRole("button", { name: "Save" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Add channel" })).toBeNull();
});

describe("the form", () => {
  test("adds a signed webhook", async () => {
    const { user, server } = visit({ search: "?edit=new" });
    const sheet = await opened("Add a channel");
    await user.type(sheet.getByLabelText(/^Name/), "On call");
    await user.selectOptions(sheet.getByLabelText(/^Type/), "webhook");
    await user.type(sheet.getByLabelText(/^Address/), "https://hooks.example/alerts");
    await user.click(sheet.getByRole("switch", { name: /Sign requests/ }));
    await user.type(sheet.getByLabelText("Signing secret"), secret);
    await user.click(sheet.getByRole("button", { name: "Add" }));
    await waitFor(() =>
      expect(server.inputsOf("alertChannels.create")).toEqual([
        {
          ...{ name: "On call", type: "webhook", address: "https://hooks.example/alerts" },
          signing_secret: secret,
        },
      ]),
    );
    await screen.findByText("On call is added.");
  });

  test.each([
    ["email", "nobody", "Must be an e-mail address"],
    ["slack", "hooks", "Must be an address such as https://hooks.example.eu/alerts"],
  ])("refuses for %s the address %s", async (type, address, message) => {
    const { user, server } = visit({ search: "?edit=new" });
    const sheet = await opened("Add a channel");
    await user.type(sheet.getByLabelText(/^Name/), "On call");
    await user.selectOptions(sheet.getByLabelText(/^Type/), type);
    await user.type(sheet.getByLabelText(/address/i), address);
    await user.click(sheet.getByRole("button", { name: "Add" }));
    expect(await sheet.findByText(message)).toBeTruthy();
    expect(server.inputsOf("alertChannels.create")).toEqual([]);
  });

  test("keeps the stored address and secret unless others are typed", async () => {
    const { user, server } = visit({ search: `?edit=${hook.id}` });
    const sheet = await opened("Hook");
    await user.type(sheet.getByLabelText(/^Name/), " 2");
    await user.click(sheet.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(server.inputsOf("alertChannels.update")).toEqual([{ id: hook.id, name: "Hook 2" }]),
    );
  });

  test("removes the secret when requests are not to be signed", async () => {
    const { user, server } = visit({ search: `?edit=${hook.id}` });
    const sheet = await opened("Hook");
    await user.click(sheet.getByRole("switch", { name: /Sign requests/ }));
    await user.click(sheet.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(server.inputsOf("alertChannels.update")).toEqual([
        { id: hook.id, name: "Hook", signing_secret: null },
      ]),
    );
  });

  test.each([
    [true, "Test succeeded", "The receiver accepted the test"],
    [false, "Test failed", "Answered 403"],
  ])("sends a test, whose success is %s", async (success, title, message) => {
    const { user } = visit({
      search: `?edit=${hook.id}`,
      alertChannels: { test: () => ({ data: { success, message } }) },
    });
    const sheet = await opened("Hook");
    await user.click(sheet.getByRole("button", { name: "Send a test" }));
    expect(await sheet.findByText(title)).toBeTruthy();
    expect(sheet.getByText(message)).toBeTruthy();
  });

  test("tests only what is saved", async () => {
    const { user } = visit({ search: `?edit=${hook.id}` });
    const sheet = await opened("Hook");
    await user.type(sheet.getByLabelText(/^Name/), "!");
    expect(sheet.getByRole<HTMLButtonElement>("button", { name: "Send a test" }).disabled).toBe(true);
  });

  test("deletes a channel after its name was typed", async () => {
    const { user, server } = visit({ search: `?edit=${hook.id}` });
    const sheet = await opened("Hook");
    await user.click(sheet.getByRole("button", { name: "Delete" }));
    await confirmByName(user, "Delete Hook", "Hook");
    await waitFor(() => expect(server.inputsOf("alertChannels.remove")).toEqual([{ id: hook.id }]));
    expect(server.inputsOf("alertChannels.update")).toEqual([]);
  });
});
