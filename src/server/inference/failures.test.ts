import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { errorTable } from "#contract/errors.ts";
import { OutboundError, type OutboundFailure } from "#server/platform/outbound.ts";
import { failureOfStatus, malformed, retryAfterMs, toAttemptError } from "./failures.ts";

describe("Retry-After", () => {
  const inSeconds = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000).toUTCString();

  test.each([
    ["7", 7000],
    [" 7 ", 7000],
    ["0.5", 500],
    ["1000000000", 300_000],
    [inSeconds(90), 90_000],
    [inSeconds(86_400), 300_000],
    [inSeconds(-90), null],
    ["0", null],
    ["-5", null],
    ["soon", null],
    ["1e9", null],
    ["", null],
    ["9".repeat(400), null],
    [undefined, null],
    [["1", "2"], null],
  ])("%o is %o ms", (header, expected) => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    try {
      expect(retryAfterMs(header)).toBe(expected);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is never less than nothing nor more than 300 s, whatever is sent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (header) => {
        const waitMs = retryAfterMs(header);
        expect(waitMs === null || (waitMs > 0 && waitMs <= 300_000)).toBe(true);
      }),
    );
  });
});

describe("what an upstream's status means", () => {
  test.each([
    [400, "rejected", false, "BAD_REQUEST"],
    [401, "credential", true, "PROVIDER_ERROR"],
    [402, "credential", true, "PROVIDER_ERROR"],
    [403, "credential", true, "PROVIDER_ERROR"],
    [404, "model_missing", true, "PROVIDER_ERROR"],
    [408, "timeout", true, "PROVIDER_TIMEOUT"],
    [413, "rejected", false, "PAYLOAD_TOO_LARGE"],
    [422, "rejected", false, "BAD_REQUEST"],
    [429, "rate_limited", true, "RATE_LIMIT_EXCEEDED"],
    [500, "server_error", true, "PROVIDER_ERROR"],
    [502, "server_error", true, "PROVIDER_ERROR"],
    [503, "overloaded", true, "SERVICE_UNAVAILABLE"],
    [504, "timeout", true, "PROVIDER_TIMEOUT"],
    [524, "timeout", true, "PROVIDER_TIMEOUT"],
    [529, "overloaded", true, "SERVICE_UNAVAILABLE"],
    [599, "server_error", true, "PROVIDER_ERROR"],
  ] as const)("%i is %s, asked elsewhere: %o, told as %s", (status, outcome, retry, code) => {
    expect(failureOfStatus(status, undefined).failure).toMatchObject({ status, outcome, retry, code });
  });

  test("the fault of the request is never told as ours, the provider's never as the request's", () => {
    for (let status = 400; status < 600; status++) {
      const { failure } = failureOfStatus(status, undefined);
      if (!failure.retry) expect(errorTable[failure.code].status).toBeLessThan(500);
      if (status >= 500) expect(failure.retry).toBe(true);
    }
  });
});

describe("anything thrown in an attempt", () => {
  test.each([
    ["refused", "refused", "PROVIDER_ERROR"],
    ["connect", "refused", "PROVIDER_ERROR"],
    ["blocked", "blocked", "PROVIDER_ERROR"],
    ["timeout", "timeout", "PROVIDER_TIMEOUT"],
    ["cut", "cut", "PROVIDER_ERROR"],
    ["too_large", "too_large", "PROVIDER_ERROR"],
    ["aborted", "aborted", "PROVIDER_ERROR"],
  ] as const)("a connection that was %s is %s", (failure: OutboundFailure, outcome, code) => {
    const thrown = new OutboundError(failure, "10.0.0.1 said no");
    const attempt = toAttemptError(thrown);
    expect(attempt.failure).toMatchObject({ outcome, code, retry: true, status: null });
    expect(attempt.failure.message).not.toContain("10.0.0.1");
    expect(attempt.cause).toBe(thrown);
  });

  test("an attempt's own error stays as it is; what is none of the provider's doing is thrown on", () => {
    const own = malformed("it has no choices", 200);
    expect(toAttemptError(own)).toBe(own);
    const bug = new TypeError("x is not a function");
    expect(() => toAttemptError(bug)).toThrow(bug);
  });
});
