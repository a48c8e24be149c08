import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isOutdated, watchConnection } from "./connection.ts";
import { loadPart } from "./load-part.ts";

let reachable = true;
let unwatch = () => {};
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async () => {
    if (!reachable) throw new TypeError("Failed to fetch");
    return new Response("ok");
  });
  unwatch = watchConnection(new QueryClient());
});
afterEach(() => {
  unwatch();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** What a browser answers for a script: an error while the server is away. */
const load = async () => {
  if (!reachable) throw new Error("Failed to load chunk");
  return "part";
};

test.each([
  ["is watched", () => {}],
  ["is not watched, as in the documentation", () => unwatch()],
])(
  "a part that cannot be loaded comes when the server answers again, where the connection %s",
  async (_where, prepare) => {
    prepare();
    reachable = false;
    let loaded = "nothing";
    void loadPart(load, "placeholder").then((part) => {
      loaded = part;
    });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(loaded).toBe("nothing");
    reachable = true;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(loaded).toBe("part");
  },
);

test("a part that a server does not have any more is left out, and the page counts as outdated", async () => {
  reachable = true;
  expect(await loadPart(load, "placeholder")).toBe("part");
  expect(isOutdated()).toBe(false);
  expect(await loadPart(() => Promise.reject(new Error("404")), "placeholder")).toBe("placeholder");
  expect(isOutdated()).toBe(true);
});
