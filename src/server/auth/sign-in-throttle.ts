import { LRUCache } from "lru-cache";
import { clock } from "#server/platform/clock.ts";

const minuteMs = 60_000;

/** After `free` attempts without success each further one waits twice as long as the one before. */
const rules = [
  { name: "account and address", free: 5, waitMaxMs: 15 * minuteMs, withAddress: true },
  { name: "account", free: 50, waitMaxMs: minuteMs, withAddress: false },
] as const;

interface Attempts {
  readonly count: number;
  readonly blockedUntilMs: number;
}

/**
 * Slows down guessing of one account's password, from one address and from many (R45). An attempt counts
 * when it begins, so a burst of parallel guesses gains nothing; success forgets what was counted.
 */
export class SignInThrottle {
  readonly #attempts = new LRUCache<string, Attempts>({ max: 20_000, ttl: 30 * minuteMs });
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = clock.monotonicMs) {
    this.#nowMs = nowMs;
  }

  /** Counts an attempt. Returns 0, or the milliseconds to wait when it is refused. */
  admit(account: string, address: string): number {
    const nowMs = this.#nowMs();
    const kept = this.#keys(account, address).map(({ key, rule }) => ({
      key,
      rule,
      attempts: this.#attempts.get(key),
    }));
    const waitMs = Math.max(0, ...kept.map(({ attempts }) => (attempts?.blockedUntilMs ?? 0) - nowMs));
    if (waitMs > 0) return waitMs;
    for (const { key, rule, attempts } of kept) {
      const count = (attempts?.count ?? 0) + 1;
      const over = count - rule.free;
      const blockMs = over < 0 ? 0 : Math.min(1000 * 2 ** over, rule.waitMaxMs);
      this.#attempts.set(key, { count, blockedUntilMs: blockMs > 0 ? nowMs + blockMs : 0 });
    }
    return 0;
  }

  /** Forgets the attempts of an account that has just been signed in to. */
  succeeded(account: string, address: string): void {
    for (const { key } of this.#keys(account, address)) this.#attempts.delete(key);
  }

  #keys(account: string, address: string) {
    const name = account.trim().toLowerCase();
    return rules.map((rule) => ({ rule, key: rule.withAddress ? `${name} ${address}` : name }));
  }
}
