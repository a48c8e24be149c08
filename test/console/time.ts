import { afterEach, beforeEach, vi } from "vitest";

/** To be called at the top of a test file: for its tests it is noon (UTC) on 20 November 2026. */
export function atNoon(): void {
  beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 10, 20, 12), toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());
}
