import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { SessionLine, type SessionPage } from "#contract/session-list.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { dayAgo, idOf } from "#test/console/logs.tsx";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { atNoon } from "#test/console/time.ts";
import { SessionsScreen } from "./sessions-screen.tsx";

atNoon();

const session: SessionLine = {
  ...{ session_id: "run & 1", requests: 12, has_more: false, failed: 2, models: ["m/a", "m/b", "m/c"] },
  ...{ first_at: "2026-11-20T11:00:00.000Z", last_at: "2026-11-20T11:59:00.000Z" },
  ...{ tokens_in: 1_200, tokens_out: 34, cost_eur: "0.012000000000", api_key_id: idOf(90) },
  ...{ app_title: "Agent", user_reference: "ada" },
};
const cursor = { started_at: "2026-11-20T11:00:00.000Z", id: idOf(1) };

const show = (page: SessionPage | Refusal, search = "") =>
  renderConsole(<SessionsScreen />, {
    ...{ search, pathname: "/logs/sessions" },
    answers: {
      keys: { names: () => ({ data: [{ id: idOf(90), name: "Crawler" }] }) },
      providers: { list: () => ({ data: [] }) },
      generations: {
        sessions: () => {
          if (page instanceof Refusal) throw page;
          return page;
        },
      },
    },
  });

test("a session with more requests than are counted says so", async () => {
  show({ data: [{ ...session, requests: 500, has_more: true }], next: null });
  const row = await screen.findByRole("row", { name: /run & 1/ });
  expect(within(row).getByTitle(/newest requests of the session/).textContent).toBe("500+");
});

test("a session shows what its requests are together, and opens them", async () => {
  const { user, visited } = show({ data: [session], next: null });
  const table = await screen.findByRole("table", { name: "Sessions" });
  const row = await within(table).findByRole("row", { name: /run & 1/ });
  for (const text of ["m/a, m/b and 1 more", "12", "2 failed", "Crawler", "Agent", "ada", "1,200 / 34"])
    expect(row.textContent).toContain(text);
  await user.click(within(row).getByRole("button"));
  expect(visited).toContain("/logs?find=run%20%26%201");
});

test("the filters of the URL are what the server is asked for, without a search", async () => {
  const { server } = show({ data: [session], next: null }, "?model=m%2Fa&user=ada&find=req_1");
  await waitFor(() =>
    expect(server.inputsOf("generations.sessions")).toEqual([
      { from: dayAgo, model: "m/a", user_reference: "ada" },
    ]),
  );
  expect(screen.queryByLabelText("Search")).toBeNull();
});

test("older sessions are a page further, and the newest are a click away", async () => {
  const { user, server, query } = show({ data: [session], next: cursor });
  await user.click(await screen.findByRole("button", { name: "Older" }));
  await waitFor(() => expect(server.inputsOf("generations.sessions")[1]).toMatchObject({ after: cursor }));
  await user.click(await screen.findByRole("button", { name: "Newest" }));
  await waitFor(() => expect(query().get("after")).toBeNull());
});

test("a page without a match says that older requests were not searched", async () => {
  show({ data: [], next: cursor });
  expect(await screen.findByText("No matching requests so far")).toBeTruthy();
});

test("without sessions, the screen says how a request names one", async () => {
  show({ data: [], next: null });
  expect(await screen.findByText(/Send session_id in the body/)).toBeTruthy();
});

test("a list that cannot be loaded says why", async () => {
  show(new Refusal("SERVICE_UNAVAILABLE", "Try again later"));
  expect((await screen.findByRole("alert")).textContent).toContain("Try again later");
});

test("nothing that may be missing reads as null", async () => {
  show({ data: [sampleOf(SessionLine, { gaps: "always" })], next: null });
  await screen.findByRole("table", { name: "Sessions" });
  expect(document.body.textContent).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date|\[object/);
});
