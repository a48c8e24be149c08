import { LRUCache } from "lru-cache";

/** Which endpoint served a session last, so that its prompt cache is used again. */
export interface Sessions {
  endpointOf(session: string): string | undefined;
  served(session: string, endpoint: string): void;
}

const sessionsMax = 20_000;
const forgottenAfterMs = 3_600_000;

/** Stores the 20,000 most recent sessions for an hour after their last request. `monotonicMs` is the clock. */
export function createSessions(monotonicMs: () => number): Sessions {
  const endpoints = new LRUCache<string, string>({
    max: sessionsMax,
    ttl: forgottenAfterMs,
    ttlResolution: 0,
    perf: { now: monotonicMs },
  });
  return {
    endpointOf: (session) => endpoints.get(session),
    served: (session, endpoint) => {
      endpoints.set(session, endpoint);
    },
  };
}
