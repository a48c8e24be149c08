import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { assertSameOrigin } from "./same-origin.ts";

function request(method: string, headers: Record<string, string>): IncomingMessage {
  const req = new IncomingMessage(new Socket());
  req.method = method;
  Object.assign(req.headers, { host: "127.0.0.1:3000", ...headers });
  return req;
}

const json = { "content-type": "application/json; charset=utf-8" };

describe("a changing request", () => {
  test.each([
    ["the browser reports the same origin", { "sec-fetch-site": "same-origin" }, undefined],
    ["an older browser sends our origin", { origin: "http://127.0.0.1:3000" }, undefined],
    [
      "behind a proxy the public address counts",
      { origin: "https://llm.example.eu" },
      "https://llm.example.eu/",
    ],
  ])("is accepted if %s", (_, headers, publicUrl) => {
    expect(() => assertSameOrigin(request("POST", { ...json, ...headers }), publicUrl)).not.toThrow();
  });

  test.each([
    ["another site", { "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:3000" }],
    ["a neighbouring subdomain", { "sec-fetch-site": "same-site" }],
    ["a link or bookmark", { "sec-fetch-site": "none" }],
    ["another origin", { origin: "http://evil.example" }],
    ["an unknown origin", {}],
    ["an opaque origin", { origin: "null" }],
  ])("is refused from %s", (_, headers) => {
    expect(() => assertSameOrigin(request("POST", { ...json, ...headers }), undefined)).toThrow(
      expect.objectContaining({ code: "FORBIDDEN" }),
    );
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])(
    "is refused as %s, which a form could send",
    (type) => {
      const headers = { "content-type": type, "sec-fetch-site": "same-origin" };
      expect(() => assertSameOrigin(request("POST", headers), undefined)).toThrow(
        expect.objectContaining({ code: "UNSUPPORTED_MEDIA_TYPE" }),
      );
    },
  );

  test("reading requests are accepted from everywhere", () => {
    expect(() =>
      assertSameOrigin(request("GET", { "sec-fetch-site": "cross-site" }), undefined),
    ).not.toThrow();
  });
});
