import { expect, test } from "vitest";
import { inferenceOperations } from "./inference-operations.ts";
import { unservedOperation, unservedOperations } from "./unserved-operations.ts";

test.each([
  ["POST", "/v2/chat", "/v2/chat", "only rerank"],
  ["POST", "/embed", "/embed", "only rerank"],
  ["GET", "/files/file-1/content", "/files/{file_id}/content", "not stored"],
  ["PATCH", "/guardrails/one", "/guardrails/{id}", "Routing rules"],
])("%s %s is not served, with its declared path and a reason", (method, path, declared, reason) => {
  expect(unservedOperation(method, path)).toMatchObject({
    path: declared,
    reason: expect.stringContaining(reason),
  });
});

test("an operation that is served, or that nobody has, is not among them", () => {
  for (const { path } of Object.values(inferenceOperations))
    expect(unservedOperation("POST", path)).toBeUndefined();
  expect(unservedOperation("GET", "/chat")).toBeUndefined();
  expect(unservedOperation("GET", "/files/one/two/three")).toBeUndefined();
});

test("every reason is a sentence", () => {
  for (const { reason } of unservedOperations) expect(reason).toMatch(/^[A-Z].+\.$/);
});
