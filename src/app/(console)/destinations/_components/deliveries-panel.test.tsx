import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Delivery, Destination } from "#contract/destination.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { DeliveriesPanel } from "./deliveries-panel.tsx";

const destination = sampleOf(Destination, { gaps: "always" });
const deliveryOf = (id: number, more: Partial<Delivery>): Delivery => ({
  ...sampleOf(Delivery, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-00000000000${id}`,
  generation_id: `018f0000-0000-7000-8000-0000000000a${id}`,
  attempts: id,
  content: "sent",
  ...more,
});

interface Show {
  readonly rows?: readonly Delivery[];
  readonly health?: Partial<Destination["health"]>;
  readonly destinations?: Answers["destinations"];
  readonly role?: Role;
}

function show({ rows = [], health, destinations, role = "owner" }: Show = {}) {
  const shown: Destination = {
    ...destination,
    config: {},
    sampling_rate: "1",
    filter_rules: null,
    health: {
      ...destination.health,
      state: "active",
      stopped_reason: null,
      last_error: null,
      dropped: 0,
      ...health,
    },
  };
  return renderConsole(<DeliveriesPanel destination={shown} />, {
    role,
    answers: { destinations: { deliveries: () => listOf(...rows), ...destinations } },
  });
}
const rowAt = async (at: number) => {
  const region = await screen.findByRole("region", { name: "Deliveries" });
  await waitFor(() => expect(region.getAttribute("aria-busy")).toBe("false"));
  const row = within(region).getAllByRole("row")[at + 1];
  if (!row) throw new Error(`There is no row ${at}`);
  return row;
};

describe("a delivery", () => {
  test.each([
    [{ status: "delivered", response_code: 200 }, "Delivered", "HTTP 200"],
    [{ status: "failed", response_code: 401, reason: "Wrong key" }, "Failed", "HTTP 401 · Wrong key"],
    [{ status: "failed", reason: "No answer" }, "Failed", "No answer"],
    [{ status: "dropped", reason: "Queue full" }, "Dropped", "Queue full"],
  ] as const)("%j is shown as %s with %s", async (more, label, detail) => {
    show({ rows: [deliveryOf(1, more)] });
    const text = (await rowAt(0)).textContent;
    expect(text).toContain(label + detail);
  });

  test("that waits shows when it is tried again, never a negative time", async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    show({
      rows: [
        deliveryOf(1, { status: "pending", next_attempt_at: at(90_000) }),
        deliveryOf(2, { status: "pending", next_attempt_at: at(-5_000) }),
      ],
    });
    expect((await rowAt(0)).textContent).toMatch(/PendingRetrying in (89|90)\.\d s/);
    expect((await rowAt(1)).textContent).toContain("PendingRetrying now");
  });

  test.each([
    ["sent", "With content"],
    ["private", "Without content (privacy mode)"],
    ["residency", "Without content and user (data residency)"],
    ["none", "Without content and user"],
  ] as const)("with content %s is described as: %s", async (content, label) => {
    show({ rows: [deliveryOf(1, { content, status: "delivered" })] });
    within(await rowAt(0)).getByText(label);
  });

  test("leads to its request", async () => {
    show({ rows: [deliveryOf(1, { status: "delivered" })] });
    expect(
      within(await rowAt(0))
        .getByRole("link")
        .getAttribute("href"),
    ).toBe("/logs?open=018f0000-0000-7000-8000-0000000000a1");
  });
});

describe("a retry", () => {
  const failed = deliveryOf(1, { status: "failed" });

  test("is offered for what failed only, and asks the server once", async () => {
    const { user, server } = show({
      rows: [failed, deliveryOf(2, { status: "delivered" }), deliveryOf(3, { status: "pending" })],
      destinations: { retryDelivery: () => ({ data: failed }) },
    });
    await user.dblClick(await screen.findByRole("button", { name: "Retry" }));
    await screen.findByText("The delivery will be retried.");
    expect(server.inputsOf("destinations.retryDelivery")).toEqual([
      { id: destination.id, delivery_id: failed.id },
    ]);
  });

  test("that is refused is reported", async () => {
    const { user } = show({
      rows: [failed],
      destinations: { retryDelivery: refusing("CONFLICT", "The trace was deleted") },
    });
    await user.click(await screen.findByRole("button", { name: "Retry" }));
    await screen.findByText("The trace was deleted");
  });

  test.each(Role.options)("is offered to a person who is %s as the server allows", async (role) => {
    show({ rows: [failed], role });
    await rowAt(0);
    const may = permissionsOf(role).has("broadcast:write");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Retry" }) !== null).toBe(may));
  });
});

describe("what is wrong with the destination", () => {
  test.each([
    [{ last_error: "HTTP 500" }, "HTTP 500"],
    [{ state: "stopped", stopped_reason: "The key is wrong", last_error: "HTTP 401" }, "The key is wrong"],
  ] as const)("%j is shown above the deliveries", async (health, text) => {
    show({ health });
    expect((await screen.findByRole("alert")).textContent).toBe(`Last error${text}`);
  });

  test("is not shown while it is disabled", async () => {
    show({ health: { state: "disabled", last_error: "HTTP 500" } });
    await screen.findByText("No deliveries yet");
    expect(screen.queryByText("HTTP 500")).toBeNull();
  });

  test("includes the traces that the queue had no room for", async () => {
    show({ health: { dropped: 12 } });
    await screen.findByText("12 traces were dropped because the queue was full.");
  });
});
