import ipaddr from "ipaddr.js";
import type { Caller } from "#server/access/caller.ts";
import { clock } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { RateState } from "./rate-account.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** Who asks, and from where. */
export interface Asker {
  readonly caller: Caller | null;
  readonly ipAddress: string | null;
}

interface Limit {
  /** What the refusal calls it. */
  readonly of: string;
  /** Whose budget is counted; null when the limit does not concern the asker. */
  readonly subject: (asker: Asker) => string | null;
  /** Requests per minute; 0 = no limit. */
  readonly perMinute: (asker: Asker, config: Config) => number;
}

/** An IPv6 address counts as its network of 64 bits, because one subscriber has all of it. */
export function networkOf(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}

const byAddress = ({ ipAddress }: Asker): string => networkOf(ipAddress);

/** Every limit of requests there is. */
const limitTable = {
  key: {
    of: "this API key",
    subject: ({ caller }) => (caller?.kind === "key" ? caller.keyId : null),
    perMinute: ({ caller }) => (caller?.kind === "key" ? caller.requestsPerMinute : 0),
  },
  person: {
    of: "you",
    subject: ({ caller }) => (caller?.kind === "person" ? caller.userId : null),
    perMinute: (_, { RATE_LIMIT_KEY }) => RATE_LIMIT_KEY,
  },
  organisation: {
    of: "your organisation",
    subject: ({ caller }) => caller?.orgId ?? null,
    perMinute: (_, { RATE_LIMIT_ORGANISATION }) => RATE_LIMIT_ORGANISATION,
  },
  auth: {
    of: "asking for keys from your address",
    subject: byAddress,
    perMinute: (_, { RATE_LIMIT_AUTH }) => RATE_LIMIT_AUTH,
  },
  /** Every request to `/api/auth`, and the attempts to sign in among them. */
  entrance: {
    of: "signing in and out from your address",
    subject: byAddress,
    perMinute: () => limits.signIn.requestsPerMinute,
  },
  attempt: {
    of: "attempts to sign in from your address",
    subject: byAddress,
    perMinute: () => limits.signIn.attemptsPerMinute,
  },
  public: {
    of: "your address",
    subject: (asker) => (asker.caller ? null : byAddress(asker)),
    perMinute: (_, { RATE_LIMIT_PUBLIC }) => RATE_LIMIT_PUBLIC,
  },
  /** The console's pages, and their files: a first visit needs many of them. */
  page: {
    of: "pages from your address",
    subject: byAddress,
    perMinute: (_, { RATE_LIMIT_PAGES }) => RATE_LIMIT_PAGES,
  },
  file: {
    of: "files from your address",
    subject: byAddress,
    perMinute: (_, { RATE_LIMIT_PAGES }) => RATE_LIMIT_PAGES * limits.rate.filesPerPage,
  },
  test: {
    of: "tests in your organisation",
    subject: ({ caller }) => caller?.orgId ?? null,
    perMinute: (_, { RATE_LIMIT_TEST }) => RATE_LIMIT_TEST,
  },
} as const satisfies Record<string, Limit>;
type LimitName = keyof typeof limitTable;

/** Limits that an operation has besides those of everybody who asks. */
export type OperationLimit = Extract<LimitName, "auth" | "test">;

const usual = { key: ["key", "organisation"], person: ["person", "organisation"] } as const;

function namesFor({ caller }: Asker, operation: OperationLimit | undefined): readonly LimitName[] {
  if (!caller) return [operation ?? "public"];
  if (caller.kind === "system") return [];
  const own = usual[caller.kind];
  return operation ? [...own, operation] : own;
}

/** `X-RateLimit-*` of a state. */
export const rateHeaders = ({ limit, remaining, resetAtMs }: RateState): Record<string, string> => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(Math.ceil(resetAtMs / 1000)),
});

function refusal(name: LimitName, state: RateState, nowMs: number): AppError {
  const waitSeconds = Math.max(1, Math.ceil((state.resetAtMs - nowMs) / 1000));
  return new AppError(
    "RATE_LIMIT_EXCEEDED",
    `The limit of ${state.limit} requests per minute for ${limitTable[name].of} is reached. Try again in ${waitSeconds} s`,
    {
      metadata: { limit: name, requests_per_minute: state.limit },
      headers: { ...rateHeaders(state), "retry-after": String(waitSeconds) },
    },
  );
}

const tighter = (a: RateState | null, b: RateState): RateState => (a && a.remaining <= b.remaining ? a : b);

/** The limits of this installation, counted by one limiter. */
export class RateLimits {
  readonly #limiter: RateLimiter;
  readonly #config: Config;

  constructor(limiter: RateLimiter, config: Config) {
    this.#limiter = limiter;
    this.#config = config;
  }

  /**
   * Counts one request against every limit that concerns it and returns the tightest; null when none does. Throws
   * RATE_LIMIT_EXCEEDED, and then counts nothing. Answers at once while this process holds shares.
   */
  admit(asker: Asker, operation?: OperationLimit): RateState | null | Promise<RateState | null> {
    return this.#from(0, namesFor(asker, operation), asker, null);
  }

  /**
   * Counts a request to `/api/auth`, and whether it is an attempt to sign in. Throws as `admit` does. Clients without
   * an address are not counted: one of them could use up the limit of all.
   */
  async admitEntrance(ipAddress: string | null, attempt: boolean): Promise<void> {
    if (ipAddress === null) return;
    await this.#from(0, attempt ? ["entrance", "attempt"] : ["entrance"], { caller: null, ipAddress }, null);
  }

  /** Counts a request for a page of the console or for a file of one. Throws as `admit` does. */
  async admitVisit(ipAddress: string | null, kind: "page" | "file"): Promise<void> {
    await this.#from(0, [kind], { caller: null, ipAddress }, null);
  }

  #from(
    first: number,
    names: readonly LimitName[],
    asker: Asker,
    tightest: RateState | null,
  ): RateState | null | Promise<RateState | null> {
    let known = tightest;
    for (let at = first; at < names.length; at++) {
      const name = names[at] as LimitName;
      const subject = limitTable[name].subject(asker);
      const budget = limitTable[name].perMinute(asker, this.#config);
      if (subject === null || budget === 0) continue;
      const taken = this.#limiter.take(`${name}:${subject}`, budget);
      if (taken instanceof Promise) {
        const before = known;
        return taken.then((state) => {
          this.#assertAdmitted(state, at, names, asker);
          return this.#from(at + 1, names, asker, tighter(before, state));
        });
      }
      this.#assertAdmitted(taken, at, names, asker);
      known = tighter(known, taken);
    }
    return known;
  }

  #assertAdmitted(state: RateState, at: number, names: readonly LimitName[], asker: Asker): void {
    if (state.admitted) return;
    for (const name of names.slice(0, at)) {
      const subject = limitTable[name].subject(asker);
      if (subject !== null) this.#limiter.giveBack(`${name}:${subject}`);
    }
    throw refusal(names[at] as LimitName, state, clock.nowMs());
  }
}
