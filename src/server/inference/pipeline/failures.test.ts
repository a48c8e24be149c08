import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { errorTable } from "#contract/errors.ts";
import { clock } from "#server/platform/clock.ts";
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
    const now = vi.spyOn(clock, "nowMs").mockReturnValue(1_700_000_000_000);
    onTestFinished(() => now.mockRestore());
    expect(retryAfterMs(header)).toBe(expected);
  });

  test("is between zero and 300 s, whatever is sent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (header) => {
        const waitMs = retryAfterMs(header);
        expect(waitMs === null || (waitMs > 0 && waitMs <= 300_000)).toBe(true);
      }),
    );
  });
});

describe("the meaning of an upstream's status", () => {
  test.each([
    [400, "rejected", "never", "BAD_REQUEST"],
    [401, "credential", "endpoint", "PROVIDER_ERROR"],
    [402, "quota", "endpoint", "PROVIDER_ERROR"],
    [403, "credential", "endpoint", "PROVIDER_ERROR"],
    [404, "model_missing", "endpoint", "PROVIDER_ERROR"],
    [408, "timeout", "endpoint", "PROVIDER_TIMEOUT"],
    [413, "rejected", "never", "PAYLOAD_TOO_LARGE"],
    [412, "quota", "endpoint", "PROVIDER_ERROR"],
    [424, "server_error", "endpoint", "PROVIDER_ERROR"],
    [498, "overloaded", "endpoint", "SERVICE_UNAVAILABLE"],
    [422, "rejected", "never", "BAD_REQUEST"],
    [429, "rate_limited", "endpoint", "RATE_LIMIT_EXCEEDED"],
    [500, "server_error", "endpoint", "PROVIDER_ERROR"],
    [502, "server_error", "endpoint", "PROVIDER_ERROR"],
    [503, "overloaded", "endpoint", "SERVICE_UNAVAILABLE"],
    [504, "timeout", "endpoint", "PROVIDER_TIMEOUT"],
    [524, "timeout", "endpoint", "PROVIDER_TIMEOUT"],
    [529, "overloaded", "endpoint", "SERVICE_UNAVAILABLE"],
    [599, "server_error", "endpoint", "PROVIDER_ERROR"],
  ] as const)("%i is %s, next attempt: %o, code %s", (status, outcome, retry, code) => {
    expect(failureOfStatus(status, undefined).failure).toMatchObject({ status, outcome, retry, code });
  });

  test.each([
    [
      '{"error":{"code":"context_length_exceeded","message":"..."}}',
      "context_length",
      "context_length_exceeded",
    ],
    [
      '{"error":{"message":"prompt is too long: 250000 tokens > 200000 maximum"}}',
      "context_length",
      "context_length_exceeded",
    ],
    ['{"message":"Input is too long for requested model."}', "context_length", "context_length_exceeded"],
    [
      '{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}',
      "context_length",
      "context_length_exceeded",
    ],
    ["This model's maximum context length is 8192 tokens", "context_length", "context_length_exceeded"],
    [
      '{"error":{"code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}',
      "content_policy",
      "content_policy_violation",
    ],
    [
      "Your request was rejected as a result of our safety system",
      "content_policy",
      "content_policy_violation",
    ],
  ])("a 400 that says %s is retried with other models only", (words, outcome, errorType) => {
    const { failure } = failureOfStatus(400, undefined, words);
    expect(failure).toMatchObject({
      outcome,
      errorType,
      retry: "model",
      code: "BAD_REQUEST",
      blame: "request",
    });
    expect(failure.message).not.toContain(words);
  });

  test("other words change nothing, nor does any text with an unambiguous status", () => {
    expect(failureOfStatus(400, undefined, "temperature must be a number").failure.outcome).toBe("rejected");
    expect(failureOfStatus(429, undefined, "too many tokens").failure.outcome).toBe("rate_limited");
    expect(failureOfStatus(500, undefined, "content policy").failure.outcome).toBe("server_error");
  });

  test("errors of the request are never reported as ours, nor the provider's as the request's", () => {
    for (let status = 400; status < 600; status++) {
      const { failure } = failureOfStatus(status, undefined);
      if (failure.retry === "never") expect(errorTable[failure.code].status).toBeLessThan(500);
      if (status >= 500) expect(failure.retry).toBe("endpoint");
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
    expect(attempt.failure).toMatchObject({ outcome, code, retry: "endpoint", status: null });
    expect(attempt.failure.message).not.toContain("10.0.0.1");
    expect(attempt.cause).toBe(thrown);
  });

  test("an attempt's own error is not changed; internal errors are thrown on", () => {
    const own = malformed("it has no choices", 200);
    expect(toAttemptError(own)).toBe(own);
    const bug = new TypeError("x is not a function");
    expect(() => toAttemptError(bug)).toThrow(bug);
  });
});
