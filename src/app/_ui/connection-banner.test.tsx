import { useQuery } from "@tanstack/react-query";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { isConnectionLost, markOutdated } from "../_lib/connection.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { ConnectionBanner } from "./connection-banner.tsx";

let reachable = false;
beforeEach(() => {
  reachable = false;
  vi.stubGlobal("fetch", async () => {
    if (!reachable) throw new TypeError("Failed to fetch");
    return new Response("ok");
  });
});
afterEach(() => {
  // TanStack Query waits for it after `offline`.
  window.dispatchEvent(new Event("online"));
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function Keys() {
  const keys = useQuery(useTRPC().keys.names.queryOptions({}, { retry: false }));
  return <p>{keys.data ? `${keys.data.data.length} keys` : "no keys"}</p>;
}

const show = (names: () => { data: { id: string; name: string }[] }) =>
  renderConsole(
    <>
      <ConnectionBanner />
      <a href="/logs">Logs</a>
      <a href="https://example.eu/">Elsewhere</a>
      <svg role="img" aria-label="Diagram">
        <a href="/keys" aria-label="Keys">
          <rect />
        </a>
      </svg>
      <Keys />
    </>,
    { answers: { keys: { names } } },
  );

const banner = () => screen.queryByText("No connection to the server");
/** Whether a click on a link does what it does by itself. */
const leads = (name: string) => fireEvent.click(screen.getByRole("link", { name }));

describe("a lost connection", () => {
  test("is noticed by the browser, keeps the page, and is over when the server answers", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    show(() => ({ data: [] }));
    await screen.findByText("0 keys");
    expect(banner()).toBeNull();
    expect(leads("Logs")).toBe(true);
    act(() => void window.dispatchEvent(new Event("offline")));
    await waitFor(() => expect(banner()).not.toBeNull());
    expect(isConnectionLost()).toBe(true);
    expect(leads("Logs")).toBe(false);
    expect(fireEvent.click(document.querySelector("rect") as Element)).toBe(false);
    expect(leads("Elsewhere")).toBe(true);
    await act(() => vi.advanceTimersByTimeAsync(6_500));
    expect(banner()).not.toBeNull();
    reachable = true;
    await act(() => vi.advanceTimersByTimeAsync(3_500));
    await waitFor(() => expect(banner()).toBeNull());
    expect(leads("Logs")).toBe(true);
  });

  test("is noticed by a click, which then keeps the page", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    show(() => ({ data: [] }));
    await screen.findByText("0 keys");
    await act(() => vi.advanceTimersByTimeAsync(5_000));
    expect(banner()).toBeNull();
    expect(leads("Logs")).toBe(false);
    await waitFor(() => expect(banner()).not.toBeNull());
  });

  test("is not assumed: a click follows its link once the server has answered", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    reachable = true;
    show(() => ({ data: [] }));
    await screen.findByText("0 keys");
    await act(() => vi.advanceTimersByTimeAsync(5_000));
    const followed: string[] = [];
    const listening = new AbortController();
    const note = (event: Event) => {
      if (!event.defaultPrevented) followed.push(String((event.target as Element).getAttribute("href")));
      event.preventDefault();
    };
    window.addEventListener("click", note, { signal: listening.signal });
    expect(leads("Logs")).toBe(false);
    await waitFor(() => expect(followed).toEqual(["/logs"]));
    expect(banner()).toBeNull();
    // A new tab does not replace the page.
    await act(() => vi.advanceTimersByTimeAsync(5_000));
    fireEvent.click(screen.getByRole("link", { name: "Logs" }), { ctrlKey: true });
    expect(followed).toEqual(["/logs", "/logs"]);
    listening.abort();
  });

  test("is noticed by a query, and everything is loaded again afterwards", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    show(() => {
      if (!reachable) throw new TypeError("Failed to fetch");
      return { data: [{ id: "a", name: "A" }] };
    });
    await waitFor(() => expect(banner()).not.toBeNull());
    screen.getByText("no keys");
    reachable = true;
    await act(() => vi.advanceTimersByTimeAsync(3_500));
    await screen.findByText("1 keys");
    expect(banner()).toBeNull();
  });
});

test("a page of an earlier version says so, and offers to reload", async () => {
  reachable = true;
  show(() => ({ data: [] }));
  expect(screen.queryByText("This page is out of date")).toBeNull();
  act(() => markOutdated());
  expect(screen.getByText("This page is out of date")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Reload" })).toBeTruthy();
});
