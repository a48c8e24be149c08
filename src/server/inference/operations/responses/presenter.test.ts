import { expect, test } from "vitest";
import { responseErrorOf } from "./presenter.ts";

test.each([
  ["RATE_LIMIT_EXCEEDED", undefined, "rate_limit_exceeded"],
  ["BAD_REQUEST", undefined, "invalid_prompt"],
  ["BAD_REQUEST", "context_length_exceeded", "invalid_prompt"],
  ["BAD_REQUEST", "content_policy_violation", "image_content_policy_violation"],
  ["SERVICE_UNAVAILABLE", undefined, "server_error"],
  ["PROVIDER_TIMEOUT", undefined, "server_error"],
] as const)("a failed response calls %s (%s) %s, as OpenRouter does", (code, errorType, told) => {
  const failure = { code, message: "No.", ...(errorType && { errorType }) };
  expect(responseErrorOf(failure)).toEqual({ code: told, message: "No." });
});
