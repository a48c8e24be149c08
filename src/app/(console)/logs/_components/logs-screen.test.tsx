import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import {
  asked,
  cellsOf,
  dayAgo,
  type Generations,
  idOf,
  line,
  rowOf,
  showLogs,
} from "#test/console/logs.tsx";
import { fill } from "#test/console/render.tsx";
import { never, Refusal, requestId } from "#test/console/server.ts";
import { atNoon } from "#test/console/time.ts";

atNoon();

test("the filters suggest the models, apps, end users and error codes of the requests that are shown", async () => {
  const rows = [line(2), line(1, { app_title: "Chat" }), line(1)];
  showLogs({ list: () => ({ data: rows, next: null, sorted_from: null }) }, "?app=C&error=");
  await rowOf("m/2");
  const suggested = (label: string) =>
    [...(screen.getByLabelText<HTMLInputElement>(label).list?.options ?? [])].map(({ value }) => value);
  await waitFor(() => expect(suggested("Model")).toEqual(["m/1", "m/2"]));
  expect(suggested("App")).toEqual(["Chat"]);
});

describe("the filters in the URL", () => {
  test.each([
    ["", { from: dayAgo }],
    ["?range=7d", { from: "2026-11-13T12:00:00.000Z" }],
    ["?range=nonsense", { from: dayAgo }],
    ["?find=req_1&range=7d", { find: "req_1" }],
    ["?status=failed", { from: dayAgo, status: ["failed"] }],
    ["?status=cancelled,interrupted", { from: dayAgo, status: ["cancelled", "interrupted"] }],
    ["?status=nonsense", { from: dayAgo }],
    ["?model=m%2F1&provider=alpha", { from: dayAgo, model: "m/1", provider: "alpha" }],
    [
      "?country=DE&app=Chat&user=ada",
      { from: dayAgo, region: "DE", app_title: "Chat", user_reference: "ada" },
    ],
    ["?sort=-cost&after=x", { from: dayAgo, sort: "cost" }],
    ["?sort=nonsense", { from: dayAgo }],
    [`?key=${idOf(90)}&error=FORBIDDEN`, { from: dayAgo, api_key_id: idOf(90), error_code: "FORBIDDEN" }],
  ])("%s are what the server is asked for", async (search, filter) => {
    const shown = showLogs({}, search);
    await rowOf("m/1");
    expect(asked(shown)).toEqual([filter]);
  });

  test("are shown in their fields, with names instead of ids", async () => {
    showLogs({}, `?status=failed&provider=alpha&key=${idOf(90)}&model=m%2F1`);
    await rowOf("m/1");
    const value = (name: string) => {
      const select = screen.getByLabelText<HTMLSelectElement>(name);
      return select.selectedOptions[0]?.textContent;
    };
    await waitFor(() => expect(value("Provider")).toBe("Alpha AI"));
    expect(value("Key")).toBe("Crawler");
    expect(value("Status")).toBe("failed");
    expect(screen.getByLabelText<HTMLInputElement>("Model").value).toBe("m/1");
  });

  test("change with their fields, which leads back to the newest page", async () => {
    const shown = showLogs({}, `?after=2026-11-20T10:00:00.000Z_${idOf(5)}`);
    await rowOf("m/1");
    await shown.user.selectOptions(screen.getByLabelText("Status"), "stopped early");
    await waitFor(() => expect(shown.query().get("status")).toBe("cancelled,interrupted"));
    expect(shown.query().has("after")).toBe(false);
    await waitFor(() =>
      expect(asked(shown).at(-1)).toEqual({ from: dayAgo, status: ["cancelled", "interrupted"] }),
    );
  });

  test("that are typed are asked for once typing pauses", async () => {
    const shown = showLogs();
    await rowOf("m/1");
    await shown.user.type(screen.getByLabelText("Model"), "m/12");
    await waitFor(() => expect(asked(shown).at(-1)).toEqual({ from: dayAgo, model: "m/12" }));
    expect(asked(shown)).toHaveLength(2);
  });

  test("are all cleared by one button", async () => {
    const { user, query } = showLogs({}, "?status=failed&model=x&find=y");
    await rowOf("m/1");
    await user.click(screen.getByRole("button", { name: "Clear" }));
    await waitFor(() => expect([...query().keys()]).toEqual([]));
  });
});

describe("a custom range", () => {
  test("has two times, in the zone of the browser", async () => {
    const shown = showLogs({}, "?range=custom&from=2026-11-01T08:30");
    await rowOf("m/1");
    expect(asked(shown)).toEqual([{ from: new Date("2026-11-01T08:30").toISOString() }]);
    expect(screen.getByLabelText<HTMLInputElement>("From").value).toBe("2026-11-01T08:30");
    await fill(shown.user, screen.getByLabelText("To"), "2026-11-02T09:00");
    await waitFor(() => expect(shown.query().get("to")).toBe("2026-11-02T09:00"));
  });

  test("is the only one with fields for times", async () => {
    showLogs({}, "?range=7d&from=2026-11-01T08:30");
    await rowOf("m/1");
    expect(screen.queryByLabelText("From")).toBeNull();
  });
});

describe("a row", () => {
  const rows = [
    line(1),
    line(2, {
      status: "failed",
      error_code: "PROVIDER_ERROR",
      provider: null,
      latency_ms: null,
      attempts: 3,
    }),
    line(3, { cost_eur: "12.345678900000", tokens_in: 1_250_000, duration_ms: 12_345 }),
  ];
  const list = () => ({ data: rows, next: null, sorted_from: null });

  test("shows model, provider, time, status, country, key, tokens, cost and durations", async () => {
    showLogs({ list });
    expect(await cellsOf("m/1")).toEqual([
      "m/1alpha1 min ago",
      "1 min ago",
      "completed€0.000123",
      "Germany",
      "Crawler",
      "1,200 / 34",
      "€0.000123",
      "250 ms",
      "1.50 s",
    ]);
  });

  test("of a request that nothing served says so, with its error and its attempts", async () => {
    showLogs({ list });
    const [model, , status, ...others] = await cellsOf("m/2");
    expect(model).toContain("no provider after 3 attempts");
    expect(status).toContain("PROVIDER_ERROR");
    expect(others.slice(-2)).toEqual(["–", "1.50 s"]);
  });

  test("rounds its cost, and has all digits in the title", async () => {
    showLogs({ list });
    const cost = within(await rowOf("m/3")).getByTitle("€12.3456789");
    expect(cost.textContent).toBe("€12.35");
    expect(await cellsOf("m/3")).toContain("1.3m / 34");
  });
});

describe("the pages", () => {
  const cursor = { started_at: "2026-11-20T10:00:00.000Z", id: idOf(3) };
  const list: Generations["list"] = ({ after }) =>
    after
      ? { data: [line(4)], next: null, sorted_from: null }
      : { data: [line(1)], next: cursor, sorted_from: null };

  test("lead to older requests and back, and stand in the URL", async () => {
    const shown = showLogs({ list });
    await rowOf("m/1");
    await shown.user.click(screen.getByRole("button", { name: "Older" }));
    await rowOf("m/4");
    expect(shown.query().get("after")).toBe(`${cursor.started_at}_${cursor.id}`);
    expect(asked(shown).at(-1)).toEqual({ from: dayAgo, after: cursor });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Older" }).disabled).toBe(true);
    await shown.user.click(screen.getByRole("button", { name: "Newest" }));
    await rowOf("m/1");
    expect(shown.query().has("after")).toBe(false);
  });

  test.each(["nonsense", "yesterday_x", `2026-11-20T10:00:00.000Z_${idOf(3)}_more`])(
    "begin with the newest for a cursor that cannot be read: %s",
    async (after) => {
      const shown = showLogs({ list }, `?after=${after}`);
      await rowOf("m/1");
      expect(asked(shown)).toEqual([{ from: dayAgo }]);
    },
  );

  test("have no buttons when there is only one", async () => {
    showLogs();
    await rowOf("m/1");
    expect(screen.queryByRole("button", { name: "Older" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Newest" })).toBeNull();
  });
});

describe("live updates", () => {
  test("are off at first; switched on, they ask again by themselves", async () => {
    const shown = showLogs();
    await rowOf("m/1");
    const live = screen.getByRole<HTMLInputElement>("switch", { name: "Live" });
    expect(live.checked).toBe(false);
    await shown.user.click(live);
    await waitFor(() => expect(shown.query().get("live")).toBe("true"));
    await waitFor(() => expect(asked(shown).length).toBeGreaterThan(1));
    await shown.user.click(live);
    await waitFor(() => expect(shown.query().has("live")).toBe(false));
  });

  test("cannot be switched on for older requests", async () => {
    showLogs({}, `?after=2026-11-20T10:00:00.000Z_${idOf(3)}`);
    await rowOf("m/1");
    expect(screen.getByRole<HTMLInputElement>("switch", { name: "Live" }).disabled).toBe(true);
  });
});

describe("without rows", () => {
  const list = () => ({ data: [], next: null, sorted_from: null });

  test("in the last day, the screen offers a key and a longer period", async () => {
    const { user, query } = showLogs({ list });
    await screen.findByText("No requests in the last 24 hours");
    expect(screen.getByRole("link", { name: "Create an API key" }).getAttribute("href")).toBe(
      "/keys?create=true",
    );
    await user.click(screen.getByRole("button", { name: "Show 30 days" }));
    await waitFor(() => expect(query().get("range")).toBe("30d"));
  });

  test.each(["?status=failed", `?after=2026-11-20T10:00:00.000Z_${idOf(3)}`])(
    "for %s it does not claim that there are none, but offers to clear the filters",
    async (search) => {
      const { user, query } = showLogs({ list }, search);
      const clear = await screen.findByRole("button", { name: "Clear filters" });
      expect(screen.queryByText("No requests in the last 24 hours")).toBeNull();
      await user.click(clear);
      await waitFor(() => expect([...query().keys()]).toEqual([]));
    },
  );

  test("that match so far, it offers to search older requests", async () => {
    const next = { started_at: "2026-11-20T10:00:00.000Z", id: idOf(3) };
    const shown = showLogs(
      {
        list: ({ after }) =>
          after ? { data: [line(4)], next: null, sorted_from: null } : { data: [], next, sorted_from: null },
      },
      "?status=failed",
    );
    await screen.findByText("No matching requests so far");
    expect(screen.getByRole("button", { name: "Clear filters" })).toBeDefined();
    await shown.user.click(screen.getByRole("button", { name: "Search older requests" }));
    await rowOf("m/4");
    expect(asked(shown).at(-1)).toEqual({ from: dayAgo, status: ["failed"], after: next });
  });

  test("yet, the table is busy", () => {
    showLogs({ list: never });
    expect(screen.getByRole("region", { name: "Requests" }).getAttribute("aria-busy")).toBe("true");
  });

  test("because they could not be loaded, it shows why, and can be asked again", async () => {
    let failing = true;
    const { user } = showLogs({
      list: () => {
        if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "Try again later");
        return { data: [line(1)], next: null, sorted_from: null };
      },
    });
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
    failing = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await rowOf("m/1");
  });
});
