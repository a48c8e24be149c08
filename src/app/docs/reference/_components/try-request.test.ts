import { afterEach, describe, expect, test, vi } from "vitest";
import type { Entry } from "./document.ts";
import { initialValues, problemsOf, requestOf, send, type Typed } from "./try-request.ts";

const entry: Entry = {
  id: "x",
  method: "PATCH",
  path: "/things/{id}",
  operation: {
    parameters: [
      { name: "id", in: "path", required: true },
      { name: "state", in: "query", required: true, schema: { enum: ["usable", "revoked"] } },
      { name: "tags[]", in: "query" },
      { name: "limit", in: "query" },
      { name: "Idempotency-Key", in: "header" },
    ],
  },
};
const typed: Typed = {
  values: {
    "path id": "a/b",
    "query state": "usable",
    "query tags[]": "x, y",
    "header Idempotency-Key": "k1",
  },
  body: '{"a": 1}',
  key: "ptl_secret",
};

test("a request has its values in the path, the query and the headers, and leaves empty ones out", () => {
  expect(requestOf("http://console.test/api/v1", entry, typed)).toEqual({
    url: "http://console.test/api/v1/things/a%2Fb?state=usable&tags%5B%5D=x&tags%5B%5D=y",
    method: "PATCH",
    headers: {
      "Idempotency-Key": "k1",
      authorization: "Bearer ptl_secret",
      "content-type": "application/json",
    },
    body: '{"a": 1}',
  });
  const empty = requestOf(
    "",
    { ...entry, path: "/things", operation: {} },
    { values: {}, body: null, key: "" },
  );
  expect(empty).toEqual({ url: "/things", method: "PATCH", headers: {}, body: null });
});

test("required values begin with their example or first choice", () => {
  expect(initialValues(entry.operation.parameters ?? [])).toEqual({ "path id": "", "query state": "usable" });
});

test("a missing value and a body that is not JSON are named", () => {
  expect(problemsOf(entry, typed)).toEqual({});
  expect(problemsOf(entry, { ...typed, values: {}, body: "{" })).toEqual({
    "path id": "Required.",
    "query state": "Required.",
    body: expect.stringMatching(/^Not JSON: /),
  });
});

describe("an answer", () => {
  afterEach(() => void vi.unstubAllGlobals());
  const answering = (body: string, type: string) => {
    const asked: RequestInit[] = [];
    vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
      asked.push(init);
      return new Response(body, { status: 402, headers: { "content-type": type, "x-request-id": "r1" } });
    });
    return asked;
  };
  const request = requestOf("", entry, typed);

  test("is formatted if it is JSON, and is requested without the session", async () => {
    const asked = answering('{"a":[1]}', "application/json");
    expect(await send(request)).toEqual({ status: 402, requestId: "r1", text: '{\n  "a": [\n    1\n  ]\n}' });
    expect(asked[0]).toMatchObject({ credentials: "omit", redirect: "manual" });
  });

  test("is shown as it is otherwise, a file by its size, and a long one in part", async () => {
    answering("data: 1\n\n", "text/event-stream");
    expect((await send(request)).text).toBe("data: 1\n\n");
    answering("1234", "application/zip");
    expect((await send(request)).text).toBe("A file of 4 bytes");
    answering("x".repeat(100_001), "text/plain");
    expect((await send(request)).text).toMatch(/x\n… \(100001 characters; the first 100000 are shown\)$/);
  });
});
