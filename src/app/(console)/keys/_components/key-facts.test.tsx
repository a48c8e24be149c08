import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { ApiKey } from "#contract/key.ts";
import { Member } from "#contract/member.ts";
import { Workspace } from "#contract/workspace.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { KeyFacts } from "./key-facts.tsx";

const key: ApiKey = {
  ...sampleOf(ApiKey, { gaps: "always" }),
  id: "018f0000-0000-7000-8000-0000000000c1",
  hash: "crawler00000",
  name: "Crawler",
  limit: null,
  effective_limit: null,
  limit_remaining: null,
  usage: 1_234.5,
  usage_daily: 0.25,
  usage_weekly: 3,
  usage_monthly: 40,
  byok_usage: 0,
  permissions: ["inference:use"],
};
const workspace = { ...sampleOf(Workspace), id: "018f0000-0000-7000-8000-0000000000c2", name: "Research" };
const owner = { ...sampleOf(Member), user_id: "user_1", name: "Ada", email: "ada@nordwind.example" };

const show = (more: Partial<ApiKey> = {}, others: readonly ApiKey[] = []) => {
  const shown = { ...key, ...more };
  return renderConsole(<KeyFacts apiKey={shown} keys={[shown, ...others]} />, {
    answers: {
      workspaces: { list: () => ({ data: [workspace], total_count: 1 }) },
      members: { list: () => ({ data: [owner], total_count: 1 }) },
    },
  });
};
/** The value beside a name in one of the tables; null when the row is left out. */
const fact = (table: string, name: string) =>
  within(screen.getByRole("table", { name: table }))
    .queryByRole("rowheader", { name })
    ?.closest("tr")
    ?.querySelector("td")?.textContent ?? null;

describe("what a key has spent", () => {
  test("is shown for the day, the week, the month and in total", () => {
    show();
    expect(fact("Spent", "Today, this week, this month")).toBe("€0.25, €3.00, €40.00");
    expect(fact("Spent", "Total")).toBe("€1,234.50");
  });

  test.each([
    [true, "€2.50, counts against the limit"],
    [false, "€2.50, does not count against the limit"],
  ])("with own credentials says whether it counts: %s", (include_byok_in_limit, text) => {
    show({ byok_usage: 2.5, include_byok_in_limit });
    expect(fact("Spent", "With your own credentials")).toBe(text);
  });

  test("with own credentials is left out where there was none", () => {
    show();
    expect(fact("Spent", "With your own credentials")).toBeNull();
  });

  test("leads to the requests of a key that was used, and to none otherwise", () => {
    const { unmount } = show();
    expect(fact("Spent", "Last used")).toBe("Never");
    expect(screen.queryByRole("link", { name: "View requests" })).toBeNull();
    unmount();
    show({ last_used: new Date(Date.now() - 3 * 60_000).toISOString() });
    expect(fact("Spent", "Last used")).toContain("3 min");
    expect(screen.getByRole("link", { name: "View requests" }).getAttribute("href")).toBe(
      `/logs?key=${key.id}&range=7d`,
    );
  });
});

describe("the bar of the limit", () => {
  const bar = () => screen.queryByRole("progressbar", { name: "Used of the limit" });

  test("is absent without a limit", () => {
    show();
    expect(bar()).toBeNull();
  });

  test.each([
    ["its own limit", { limit: 25, limit_reset: "weekly" as const }, "€5.00 of €25.00 per week; €20.00 left"],
    ["its own limit that never resets", { limit: 25 }, "€5.00 of €25.00; €20.00 left"],
    ["a limit it shares", { limit: null }, "€5.00 of €25.00 shared with other keys; €20.00 left"],
    ["a smaller limit than its own", { limit: 80 }, "€5.00 of €25.00 shared with other keys; €20.00 left"],
  ])("tells what is used of %s", (_case, limits, text) => {
    show({ ...limits, effective_limit: 25, limit_remaining: 20 });
    expect(bar()?.getAttribute("aria-valuetext")).toBe(text);
    expect(screen.getByText(text)).toBeTruthy();
    expect(bar()?.getAttribute("aria-valuenow")).toBe("20");
  });

  test("is full at a limit of zero, which leaves nothing to use", () => {
    show({ limit: 0, effective_limit: 0, limit_remaining: 0 });
    expect(bar()?.getAttribute("aria-valuenow")).toBe("100");
    expect(screen.getByText("€0.00 of €0.00; €0.00 left")).toBeTruthy();
  });
});

describe("the limits of a key", () => {
  test("that has none are named as such", () => {
    show({ permissions: [] });
    expect(fact("Limits", "Requests per minute")).toBe("Installation default");
    expect(fact("Limits", "Expires")).toBe("Never");
    expect(fact("Limits", "Models")).toBe("All models");
    expect(fact("Limits", "Permissions")).toBe("None");
    expect(fact("Limits", "Workspace")).toBeNull();
  });

  test("that has all of them are shown in words", async () => {
    show({
      requests_per_minute: 6_000,
      expires_at: "2027-01-31T12:00:00.000Z",
      allowed_models: ["acme/large", "acme/small"],
      workspace_id: workspace.id,
      permissions: ["inference:use", "keys:read"],
    });
    expect(await screen.findByText("Research")).toBeTruthy();
    expect(fact("Limits", "Requests per minute")).toBe("6,000");
    expect(fact("Limits", "Expires")).toContain("31 Jan 2027");
    expect(fact("Limits", "Models")).toBe("acme/large, acme/small");
    expect(fact("Limits", "Workspace")).toBe("Research");
    expect(fact("Limits", "Permissions")).toBe("send requests to models, see API keys");
  });

  test("name no model when the key may use none", () => {
    show({ allowed_models: [] });
    expect(fact("Limits", "Models")).toBe("");
  });

  test("show the ID of a workspace that the person cannot see", () => {
    const id = "018f0000-0000-7000-8000-0000000000ff";
    show({ workspace_id: id });
    expect(fact("Limits", "Workspace")).toBe(id);
  });
});

describe("the origin of a key", () => {
  const parent = { ...key, hash: "parent000000", name: "Team" };
  const child = { ...key, hash: "child0000000", name: "Nightly", parent_hash: key.hash };

  test("names its owner, once the members are known", async () => {
    show({ creator_user_id: owner.user_id });
    expect(await screen.findByText("Ada, ada@nordwind.example")).toBeTruthy();
  });

  test("leads to the key whose limit it shares, and to its child keys", () => {
    show({ parent_hash: parent.hash }, [parent, child]);
    const href = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
    expect(href("Team")).toBe("/keys?open=parent000000");
    expect(href("Nightly")).toBe("/keys?open=child0000000");
  });

  test("shows the hash of a parent that the person cannot see", () => {
    show({ parent_hash: "hidden000000" });
    expect(fact("Origin", "Shares the limit of")).toBe("hidden000000");
    expect(fact("Origin", "Child keys")).toBeNull();
  });

  test("leads to the app it was created for", () => {
    show({ app_host: "app.example:8443" });
    expect(screen.getByRole("link", { name: "app.example:8443" }).getAttribute("href")).toBe(
      "/keys/apps?open=app.example%3A8443",
    );
  });
});
