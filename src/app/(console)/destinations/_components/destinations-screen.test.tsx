import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Destination } from "#contract/destination.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { describeTypes } from "#test/console/destination-types.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing, requestId } from "#test/console/server.ts";
import { DestinationsScreen } from "./destinations-screen.tsx";

const types = describeTypes();
const destinationOf = (id: number, name: string, more: Partial<Destination> = {}): Destination => ({
  ...sampleOf(Destination, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-00000000000${id}`,
  name,
  type: "webhook",
  config: { url: "https://a.example" },
  sampling_rate: "1",
  privacy_mode: false,
  filter_rules: null,
  enabled: true,
  ...more,
});
const healthOf = (more: Partial<Destination["health"]>): Pick<Destination, "health"> => ({
  health: {
    state: "active",
    consecutive_failures: 0,
    failing_since: null,
    paused_until: null,
    stopped_reason: null,
    last_error: null,
    last_delivered_at: null,
    dropped: 0,
    ...more,
  },
});
const traces = destinationOf(1, "Traces", healthOf({}));

interface Visit {
  readonly list?: readonly Destination[];
  readonly destinations?: Answers["destinations"];
  readonly role?: Role;
  readonly search?: string;
}

const visit = ({ list = [traces], destinations, role = "owner", search = "" }: Visit = {}) =>
  renderConsole(<DestinationsScreen />, {
    role,
    search,
    answers: {
      destinations: {
        list: () => listOf(...list),
        types: () => listOf(...types),
        deliveries: () => listOf(),
        ...destinations,
      },
      keys: { list: () => listOf() },
      routingRules: {
        euResidency: () => ({
          data: { as_of: "2026-01-01", eu_countries: [], eea_countries: [], eu_adequate_countries: [] },
        }),
      },
    },
  });
const rowOf = async (name: string) => {
  const cell = await screen.findByText(name);
  return cell.closest("tr") ?? cell;
};

describe("the list", () => {
  test("shows what each destination receives", async () => {
    visit({
      list: [
        traces,
        destinationOf(2, "Tenth", { sampling_rate: "0.1", privacy_mode: true }),
        destinationOf(3, "Keys", { api_key_filter: [traces.id, traces.id] }),
        destinationOf(4, "One key", { api_key_filter: [traces.id] }),
      ],
    });
    expect((await rowOf("Traces")).textContent).toContain("100% of requests, with content");
    expect((await rowOf("Tenth")).textContent).toContain("10% of requests, without content");
    expect((await rowOf("Keys")).textContent).toContain("of requests of 2 keys, with content");
    expect((await rowOf("One key")).textContent).toContain("of requests of one key, with content");
  });

  test.each([
    [{ state: "active" }, "Delivering", null],
    [{ state: "active", consecutive_failures: 2, last_error: "HTTP 500" }, "Failing", "HTTP 500"],
    [{ state: "paused", last_error: "Timeout" }, "Failing", "Timeout"],
    [
      { state: "stopped", stopped_reason: "The key is wrong", last_error: "HTTP 401" },
      "Stopped",
      "The key is wrong",
    ],
    [{ state: "disabled", last_error: "HTTP 500" }, "Off", null],
  ] as const)("shows the health %j as %s, with the reason %s", async (health, label, reason) => {
    visit({ list: [destinationOf(1, "Traces", healthOf(health))] });
    const status = within(await rowOf("Traces")).getByText(label);
    expect(status.closest("[title]")?.getAttribute("title") ?? null).toBe(reason);
  });

  test("shows when something was last delivered", async () => {
    const at = new Date(Date.now() - 5 * 60_000).toISOString();
    visit({
      list: [
        destinationOf(1, "Recent", healthOf({ last_delivered_at: at })),
        destinationOf(2, "New", healthOf({})),
      ],
    });
    expect((await rowOf("Recent")).textContent).toContain("5 min ago");
    expect((await rowOf("New")).textContent).toContain("Never");
  });

  test("that cannot be loaded names the request", async () => {
    visit({ destinations: { list: refusing("INTERNAL_ERROR", "Out of order") } });
    expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  });
});

describe("pausing", () => {
  const toggle = () => screen.findByRole<HTMLInputElement>("switch", { name: "Send to Traces" });

  test("is sent at once, and taken back by the toast", async () => {
    const { user, server } = visit({ destinations: { update: () => ({ data: traces }) } });
    await user.click(await toggle());
    await screen.findByText("Traces is disabled.");
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(server.inputsOf("destinations.update")).toHaveLength(2));
    expect(server.inputsOf("destinations.update")).toEqual([
      { id: traces.id, enabled: false },
      { id: traces.id, enabled: true },
    ]);
  });

  test("that is refused is put back and reported", async () => {
    const { user } = visit({ destinations: { update: refusing("FORBIDDEN", "Not yours") } });
    await user.click(await toggle());
    await screen.findByText("Not yours");
    expect((await toggle()).checked).toBe(true);
  });
});

describe("adding", () => {
  test("begins with the choice of the type, which the address keeps", async () => {
    const { user, query } = visit({ list: [] });
    await user.click((await screen.findAllByRole("button", { name: "Add destination" }))[0] ?? document.body);
    const gallery = await screen.findByRole("dialog", { name: "Add a destination" });
    await user.type(within(gallery).getByLabelText("Search"), "webhook");
    await user.click(within(gallery).getByRole("button", { name: /^Webhook/ }));
    await screen.findByRole("dialog", { name: "Add Webhook" });
    expect(query().get("add")).toBe("webhook");
  });

  test("every type of the server can be found by its name", async () => {
    const { user } = visit({ search: "?add=choose" });
    const gallery = await screen.findByRole("dialog", { name: "Add a destination" });
    expect(within(gallery).getAllByRole("button").length).toBeGreaterThanOrEqual(types.length);
    await user.type(within(gallery).getByLabelText("Search"), "no such tool");
    within(gallery).getByText(/No matching destination/);
  });

  test("adds a destination and closes the sheet", async () => {
    const { user, server, query } = visit({
      search: "?add=webhook",
      destinations: { create: () => ({ data: destinationOf(2, "Hook") }) },
    });
    const sheet = await screen.findByRole("dialog", { name: "Add Webhook" });
    await user.type(await within(sheet).findByLabelText(/^Address/), "https://b.example");
    await user.dblClick(within(sheet).getByRole("button", { name: "Create" }));
    await screen.findByText("Hook is added.");
    expect(server.inputsOf("destinations.create")).toHaveLength(1);
    await waitFor(() => expect(query().get("add")).toBeNull());
    expect(server.inputsOf("destinations.list").length).toBeGreaterThan(1);
  });

  test("of a type that does not exist shows no form", async () => {
    visit({ search: "?add=carrier-pigeon" });
    await rowOf("Traces");
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

test("a destination opens by its address: deliveries first, then its settings", async () => {
  const { user, query } = visit({ search: `?open=${traces.id}` });
  const sheet = await screen.findByRole("dialog", { name: "Traces" });
  await within(sheet).findByText("No deliveries yet");
  await user.click(within(sheet).getByRole("tab", { name: "Settings" }));
  expect(within(sheet).getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Traces");
  await user.click(within(sheet).getByRole("button", { name: "Close" }));
  await waitFor(() => expect(query().get("open")).toBeNull());
});

test.each(Role.options)("a person who is %s changes destinations as the server allows", async (role) => {
  visit({ role, search: "?add=choose" });
  await rowOf("Traces");
  const mayWrite = permissionsOf(role).has("broadcast:write");
  const has = (kind: "button" | "switch" | "dialog", name: string) =>
    screen.queryAllByRole(kind, { name, hidden: true }).length > 0;
  await waitFor(() => expect(has("button", "Add destination")).toBe(mayWrite));
  expect(has("switch", "Send to Traces")).toBe(mayWrite);
  await waitFor(() => expect(has("dialog", "Add a destination")).toBe(mayWrite));
});
