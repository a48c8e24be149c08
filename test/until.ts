import { vi } from "vitest";

/** What is waited for comes in milliseconds; on a busy machine it may take its time. */
const waitMs = 15_000;

/** Resolves with what `check` returns once it no longer throws. Where time itself is measured, `vi.waitFor` has the bound. */
export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: waitMs, interval: 20 });
