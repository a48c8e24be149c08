import { expect } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";

/** The error of an answer with this status and code, after a check of what every error answer guarantees. */
export async function expectError(
  response: Response,
  status: number,
  code: string,
): Promise<ErrorEnvelope["error"]> {
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  const { error, requestId } = ErrorEnvelope.parse(await response.json());
  expect(requestId).toBe(response.headers.get("x-request-id"));
  expect(error.metadata.status).toBe(response.status);
  expect([response.status, error.code]).toEqual([status, code]);
  return error;
}
