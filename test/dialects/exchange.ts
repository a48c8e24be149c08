import type { Exchange } from "#server/inference/providers/kind.ts";
import { clock } from "#server/platform/clock.ts";
import type { Outbound } from "#server/platform/outbound.ts";

/** An exchange with a provider on loopback, with five seconds for everything. */
export const exchangeWith = (
  outbound: Outbound,
  body: Exchange["body"],
  own: Partial<Exchange> = {},
): Exchange => ({
  outbound,
  body,
  generationId: "0190a000-0000-7000-8000-000000000001",
  deadlineMs: clock.monotonicMs() + 5_000,
  idleTimeoutMs: () => 5_000,
  signal: new AbortController().signal,
  ...own,
});
