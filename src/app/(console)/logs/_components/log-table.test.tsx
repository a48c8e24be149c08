import { screen, waitFor, within } from "@testing-library/react";
import { parse } from "csv-parse/browser/esm/sync";
import { beforeEach, describe, expect, test } from "vitest";
import { generationSorts } from "#contract/activity.ts";
import { collectDownloads } from "#test/console/downloads.ts";
import { asked, cellsOf, dayAgo, idOf, line, rowOf, showLogs } from "#test/console/logs.tsx";
import { atNoon } from "#test/console/time.ts";
import { defaultColumns, logColumns } from "./log-columns.tsx";

atNoon();
beforeEach(() => localStorage.clear());
const downloads = collectDownloads();
const all = logColumns({ nowMs: 0, nameOfKey: (id) => id });
const heads = () => screen.getAllByRole("columnheader").map(({ textContent }) => textContent);

describe("the columns", () => {
  test("can be chosen, stand in the URL, and can be reset", async () => {
    const { user, query } = showLogs();
    await rowOf("m/1");
    expect(heads()).toEqual(
      all.filter(({ id }) => defaultColumns.some((one) => one === id)).map(({ header }) => header),
    );
    await user.click(await screen.findByRole("button", { name: "Columns" }));
    const menu = within(await screen.findByRole("dialog", { name: "Columns" }));
    expect(menu.getByRole<HTMLButtonElement>("button", { name: "Default columns" }).disabled).toBe(true);
    for (const { header } of all.slice(1))
      if (!menu.getByRole<HTMLInputElement>("checkbox", { name: header }).checked)
        await user.click(menu.getByRole("checkbox", { name: header }));
    await waitFor(() => expect(heads()).toEqual(all.map(({ header }) => header)));
    await user.click(menu.getByRole("checkbox", { name: "Time" }));
    await waitFor(() => expect(heads()).not.toContain("Time"));
    expect(query().get("columns")?.split(",")).toEqual(
      all.map(({ id }) => id).filter((id) => id !== "model" && id !== "time"),
    );
    await user.click(menu.getByRole("button", { name: "Default columns" }));
    await waitFor(() => expect(query().has("columns")).toBe(false));
  });

  test("show what apps say of a request, and a dash without it", async () => {
    const more = {
      app_title: "Chat",
      user_reference: "ada",
      session_id: "s-1",
      tags: { team: "a", env: "b" },
    };
    showLogs(
      { list: () => ({ data: [line(1, more), line(2)], next: null, sorted_from: null }) },
      "?columns=app,user,session,tags",
    );
    expect((await cellsOf("m/1")).slice(1)).toEqual(["Chat", "ada", "s-1", "team: a, env: b"]);
    expect((await cellsOf("m/2")).slice(1)).toEqual(["–", "–", "–", "–"]);
  });
});

describe("sorting", () => {
  test.each(generationSorts)("by %s is done by the server, and ends with a second click", async (sort) => {
    const header = all.find(({ id }) => id === sort)?.header ?? "";
    const shown = showLogs({}, `?columns=${sort}`);
    await rowOf("m/1");
    await shown.user.click(screen.getByRole("button", { name: header }));
    await waitFor(() => expect(asked(shown).at(-1)).toEqual({ from: dayAgo, sort }));
    const head = screen.getByRole("columnheader", { name: new RegExp(header) });
    expect(head.getAttribute("aria-sort")).toBe("descending");
    await screen.findByText(/The first 3 in this order/);
    await shown.user.click(within(head).getByRole("button"));
    await waitFor(() => expect(shown.query().has("sort")).toBe(false));
  });

  test("says from when on requests were compared", async () => {
    const sorted_from = "2026-11-20T10:00:00.000Z";
    showLogs({ list: () => ({ data: [line(1)], next: null, sorted_from }) }, "?sort=-cost");
    expect((await screen.findByText(/The first 1 in this order/)).textContent).toContain(
      "of the requests since 20 Nov 2026",
    );
  });
});

describe("an export", () => {
  const pages = {
    list: ({ after }: { after?: unknown }) =>
      after
        ? { data: [line(2, { app_title: "=1+1" })], next: null, sorted_from: null }
        : {
            data: [line(1)],
            next: { started_at: "2026-11-20T11:59:00.000Z", id: idOf(1) },
            sorted_from: null,
          },
  };

  test.each(["CSV", "JSON"])(
    "as %s has every page of what the filters match, also of a sorted list",
    async (format) => {
      const shown = showLogs(pages, "?provider=alpha&sort=-cost");
      await rowOf("m/1");
      await screen.findAllByText("Crawler");
      await shown.user.click(await screen.findByRole("button", { name: "Export" }));
      await shown.user.click(await screen.findByRole("menuitem", { name: format }));
      await waitFor(() => expect(downloads).toHaveLength(1));
      const text = (await downloads[0]?.text()) ?? "";
      const rows = format === "CSV" ? parse(text, { columns: true }) : JSON.parse(text);
      expect(rows).toMatchObject([
        { model: "m/1", cost_eur: "0.000123450000" },
        { model: "m/2", provider: "alpha" },
      ]);
      if (format === "CSV") expect(rows[1]).toMatchObject({ app_title: "'=1+1", key: "Crawler" });
      const period = { provider: "alpha", from: dayAgo, limit: 1_000 };
      expect(asked(shown).slice(-2)).toEqual([
        period,
        { ...period, after: { started_at: "2026-11-20T11:59:00.000Z", id: idOf(1) } },
      ]);
    },
  );
});

describe("a view", () => {
  /** The views of the person who is signed in. */
  const stored = () => {
    const key = Object.keys(localStorage).find((name) => /^portolan-views\/logs-018f/.test(name)) ?? "";
    return JSON.parse(localStorage.getItem(key) ?? "[]");
  };

  test("is saved with a name, opened and deleted", async () => {
    window.history.replaceState(null, "", "?status=failed");
    const { user } = showLogs({}, "?status=failed");
    await rowOf("m/1");
    const open = async () => {
      await user.click(await screen.findByRole("button", { name: "Views" }));
      return within(await screen.findByRole("dialog", { name: "Views" }));
    };
    const empty = await open();
    empty.getByText(/No saved views yet/);
    await user.type(empty.getByLabelText("Name of the view"), "Failures");
    await user.click(empty.getByRole("button", { name: "Save" }));
    const saved = await open();
    saved.getByRole("button", { name: "Failures" });
    expect(stored()).toEqual([{ name: "Failures", search: "?status=failed" }]);
    await user.click(saved.getByRole("button", { name: "Delete Failures" }));
    await waitFor(() => expect(stored()).toEqual([]));
  });
});

test("filters that are rarely used appear when they are added", async () => {
  const shown = showLogs();
  await rowOf("m/1");
  expect(screen.queryByLabelText("End user")).toBeNull();
  await shown.user.selectOptions(screen.getByLabelText("Add a filter"), "End user");
  await shown.user.type(await screen.findByLabelText("End user"), "ada");
  await waitFor(() => expect(asked(shown).at(-1)).toEqual({ from: dayAgo, user_reference: "ada" }));
  await shown.user.click(screen.getByRole("button", { name: "Clear" }));
  await waitFor(() => expect(screen.queryByLabelText("End user")).toBeNull());
});
