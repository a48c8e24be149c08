import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { ApiKey } from "#contract/key.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { completedSteps } from "#test/console/first-steps.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal, requestId } from "#test/console/server.ts";
import { KeysScreen } from "./keys-screen.tsx";

const key = (name: string, more: Partial<ApiKey> = {}): ApiKey => ({
  ...sampleOf(ApiKey, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-${name
    .padEnd(12, "0")
    .slice(0, 12)
    .replace(/[^0-9a-f]/g, "0")}`,
  hash: name.padEnd(12, "0").slice(0, 12),
  name,
  disabled: false,
  ...more,
});
const [crawler, indexer] = [key("Crawler"), key("Indexer", { disabled: true })];
const listed = (...data: ApiKey[]) => ({ data, total_count: data.length });

type KeyAnswers = NonNullable<Answers["keys"]>;
const answersOf = (keys: KeyAnswers): Answers => ({
  keys: { list: () => listed(crawler, indexer), ...keys },
  catalogue: { models: () => ({ data: [] }) },
  overview: {
    firstSteps: () => completedSteps,
  },
});
const show = (keys: KeyAnswers = {}, options: { role?: Role; search?: string } = {}) =>
  renderConsole(<KeysScreen />, { answers: answersOf(keys), pathname: "/keys", ...options });
const rowOf = async (name: string) => {
  const cell = await screen.findByRole("button", { name: new RegExp(`^${name}`) });
  return cell.closest("tr") ?? cell;
};

describe("the list", () => {
  test("is busy while it is loading", async () => {
    show({ list: never });
    expect(screen.getByRole("region", { name: "API keys" }).getAttribute("aria-busy")).toBe("true");
  });

  test("without keys offers to create one", async () => {
    const { user, query } = show({ list: () => listed() });
    await screen.findByText("No API keys yet");
    await user.click((await screen.findAllByRole("button", { name: "Create key" })).at(-1) ?? document.body);
    await waitFor(() => expect(query().get("create")).toBe("true"));
  });

  test("that could not be loaded names the request and can be retried", async () => {
    let failing = true;
    const { user } = show({
      list: () => {
        if (failing) throw new Refusal("INTERNAL_ERROR", "Out of order");
        return listed(crawler);
      },
    });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Out of order");
    expect(alert.textContent).toContain(requestId);
    failing = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await rowOf("Crawler");
  });

  test.each([
    ["?find=crawl", ["Crawler"]],
    ["?find=CRAWL", ["Crawler"]],
    ["?state=usable", ["Crawler"]],
    ["?state=unusable", ["Indexer"]],
    ["?find=nothing", []],
  ])("is filtered by the URL %s", async (search, names) => {
    show({}, { search });
    if (names.length === 0) await screen.findByRole("button", { name: "Clear filters" });
    else await rowOf(names[0] ?? "");
    for (const { name } of [crawler, indexer])
      expect(screen.queryByRole("button", { name: new RegExp(`^${name}`) }) !== null, name).toBe(
        names.includes(name as never),
      );
  });

  test("counts the older keys that are not shown", async () => {
    show({ list: () => ({ data: [crawler], total_count: 1_301 }) });
    expect((await screen.findByText(/1,300/)).textContent).toContain("older");
  });
});

describe.each(Role.options)("a person who is %s", (role) => {
  const mayWrite = permissionsOf(role).has("keys:write");

  test(`is ${mayWrite ? "" : "not "}offered to create, switch, edit and revoke keys`, async () => {
    show({}, { role, search: `?open=${crawler.hash}` });
    const sheet = await screen.findByRole("dialog", { name: "Crawler" });
    await waitFor(() => expect(within(sheet).queryByRole("tab", { name: "Edit" }) !== null).toBe(mayWrite));
    expect(within(sheet).queryByRole("button", { name: "Revoke" }) !== null).toBe(mayWrite);
    expect(within(sheet).queryByRole("switch", { name: "On" }) !== null).toBe(mayWrite);
    expect(screen.queryByRole("button", { name: "Create key", hidden: true }) !== null).toBe(mayWrite);
    expect(screen.queryByRole("switch", { name: /Crawler/, hidden: true }) !== null).toBe(mayWrite);
  });
});

describe("creating a key", () => {
  const created = "ptl_secret_key";
  test("sends what was entered once, then shows the key", async () => {
    const { user, server } = show(
      { create: () => ({ key: created, data: sampleOf(ApiKey) }) },
      { search: "?create=true" },
    );
    await fill(user, await screen.findByLabelText("Name"), "Crawler 2");
    await user.dblClick(screen.getByRole("button", { name: "Create" }));
    await screen.findByText(created);
    expect(server.inputsOf("keys.create")).toEqual([
      {
        name: "Crawler 2",
        limit: null,
        limit_reset: null,
        include_byok_in_limit: false,
        requests_per_minute: null,
        expires_at: null,
        allowed_models: null,
        permissions: ["inference:use"],
        workspace_id: null,
      },
    ]);
  });

  test("that expires some days from now is created once by a double click", async () => {
    const { user, server } = show(
      { create: () => ({ key: created, data: sampleOf(ApiKey) }) },
      { search: "?create=true" },
    );
    await fill(user, await screen.findByLabelText("Name"), "Crawler 2");
    await user.selectOptions(screen.getByLabelText("Expires"), "30");
    await user.dblClick(screen.getByRole("button", { name: "Create" }));
    await screen.findByText(created);
    expect(server.inputsOf("keys.create")).toHaveLength(1);
  });

  test("that was refused leaves the form as it was entered, with the reason", async () => {
    const { user } = show(
      {
        create: () => {
          throw new Refusal("CONFLICT", "The name is taken");
        },
      },
      { search: "?create=true" },
    );
    await fill(user, await screen.findByLabelText("Name"), "Crawler");
    await user.click(screen.getByRole("button", { name: "Create" }));
    expect((await screen.findByRole("alert")).textContent).toContain("The name is taken");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Crawler");
  });
});

describe("changing a key", () => {
  test("sends only what was changed", async () => {
    const { user, server } = show({ update: () => ({ data: crawler }) }, { search: `?open=${crawler.hash}` });
    await user.click(await screen.findByRole("tab", { name: "Edit" }));
    await fill(user, await screen.findByLabelText(/Spending limit/), "12");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(server.inputsOf("keys.update")).toEqual([{ hash: crawler.hash, limit: 12 }]));
  });

  test("switching one off is shown at once, and reverted when it is refused", async () => {
    const { user, server } = show({
      update: () => {
        throw new Refusal("FORBIDDEN", "Not yours");
      },
    });
    const toggle = () => screen.findByRole<HTMLInputElement>("switch", { name: /Crawler/ });
    await user.click(await toggle());
    await screen.findByText("Not yours");
    expect(server.inputsOf("keys.update")).toEqual([{ hash: crawler.hash, disabled: true }]);
    expect((await toggle()).checked).toBe(true);
  });

  test("revoking asks for the name first", async () => {
    const { user, server } = show(
      { remove: () => ({ data: { success: true }, deleted: true }) },
      { search: `?open=${crawler.hash}` },
    );
    await user.click(await screen.findByRole("button", { name: "Revoke" }));
    expect(server.inputsOf("keys.remove")).toEqual([]);
    const dialog = await screen.findByRole("dialog", { name: /Revoke Crawler/ });
    await user.type(within(dialog).getByLabelText(/to confirm/), "Crawler{Enter}");
    await waitFor(() => expect(server.inputsOf("keys.remove")).toEqual([{ hash: crawler.hash }]));
  });
});
