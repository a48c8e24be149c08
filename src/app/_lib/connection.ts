import type { QueryClient } from "@tanstack/react-query";
import { failureOf } from "./failure.ts";
import { monotonicMs } from "./use-now.ts";

const againMs = 3_000;
const answerMs = 3_000;
/** So long after an answer the server is taken to be there. */
const recentMs = 2_000;

let lost = false;
let outdated = false;
let reachedAtMs = Number.NEGATIVE_INFINITY;
/** What a loss starts, while the connection is watched. */
let onLoss: (() => void) | null = null;
const listeners = new Set<() => void>();

/** Whether the server could not be reached, the last time somebody asked. */
export const isConnectionLost = (): boolean => lost;

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

function change(isLost: boolean): void {
  if (lost === isLost) return;
  lost = isLost;
  notify();
}

/** Whether the server has another version than the page, so that parts of the page cannot be loaded. */
export const isOutdated = (): boolean => outdated;

export function markOutdated(): void {
  outdated = true;
  notify();
}

async function isReachable(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    const { ok } = await fetch("/health/live", { cache: "no-store", signal });
    if (ok) reachedAtMs = monotonicMs();
    return ok;
  } catch {
    return false;
  }
}

/** Whether the server answered a moment ago. */
export const wasReachedRecently = (): boolean => !lost && monotonicMs() - reachedAtMs < recentMs;

/** Asks the server whether it is there; if not, the connection counts as lost. */
export async function confirmConnection(): Promise<boolean> {
  const reached = await isReachable();
  if (!reached) onLoss?.();
  return reached;
}

/** Resolves once the server answers: at once, or after the connection was lost. */
export async function untilReachable(): Promise<void> {
  while (!(await confirmConnection())) await new Promise((resolve) => setTimeout(resolve, againMs));
}

/**
 * Notices that the connection is lost: by the browser, or by a query that did not reach the server. Then asks every three
 * seconds, and loads everything again once there is an answer. Returns a function that ends it.
 */
export function watchConnection(client: QueryClient): () => void {
  let timer: ReturnType<typeof setInterval> | null = null;
  const stop = () => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  const ask = async () => {
    if (!(await isReachable())) return;
    stop();
    if (!lost) return;
    change(false);
    void client.invalidateQueries();
  };
  const lose = () => {
    change(true);
    timer ??= setInterval(() => void ask(), againMs);
  };
  onLoss = lose;
  const online = () => void ask();
  window.addEventListener("offline", lose);
  window.addEventListener("online", online);
  const unsubscribe = client.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return;
    if (event.action.type === "success" && !event.action.manual) reachedAtMs = monotonicMs();
    if (event.action.type !== "error") return;
    if (failureOf(event.action.error).code === "UNREACHABLE") lose();
  });
  if (!navigator.onLine) lose();
  return () => {
    onLoss = null;
    stop();
    unsubscribe();
    window.removeEventListener("offline", lose);
    window.removeEventListener("online", online);
    outdated = false;
    change(false);
  };
}
