import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { targetOf } from "./request-line.ts";

function request(
  url: string,
  { method = "GET", lines = ["Host", "router.example:3000"] } = {},
): IncomingMessage {
  const made = new IncomingMessage(new Socket());
  made.method = method;
  made.url = url;
  made.rawHeaders = lines;
  for (let at = 0; at < lines.length; at += 2)
    made.headers[String(lines[at]).toLowerCase()] ??= lines[at + 1];
  return made;
}

const refused = expect.objectContaining({ code: "BAD_REQUEST", headers: { connection: "close" } });

describe("a request target", () => {
  test.each([
    ["/keys?a=1", "/keys?a=1"],
    ["//other.example/keys", "//other.example/keys"],
    ["http://router.example:3000/keys?a=1", "/keys?a=1"],
    ["HTTP://ROUTER.example:3000", "/"],
    ["http://console.example/keys", "/keys"],
    ["https://console.example:443/keys", "/keys"],
  ])("%s means %s", (url, path) => {
    expect(targetOf(request(url), "console.example")).toBe(path);
  });

  test.each([
    "http://other.example/keys",
    "http://router.example/keys",
    "http://router.example:3000@other.example/keys",
    "http://user:password@router.example:3000/keys",
    "ftp://router.example:3000/keys",
    "javascript:alert(1)",
    "keys",
    "",
    "*",
    "?a=1",
  ])("%s is refused, and the connection ends", (url) => {
    expect(() => targetOf(request(url), "console.example")).toThrow(refused);
  });

  test("for the complete server is allowed for OPTIONS only", () => {
    expect(targetOf(request("*", { method: "OPTIONS" }), undefined)).toBe("*");
  });

  test("is a path or refused, for any text", () => {
    const absolute = fc.tuple(fc.constantFrom("http://", "https://", "//", "http:", ""), fc.string());
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          absolute.map((parts) => parts.join("")),
        ),
        (url) => {
          try {
            expect(targetOf(request(url), "console.example")).toMatch(/^\//);
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
    );
  });
});

test("a request with two Host lines is refused, however they are written", () => {
  for (const second of ["Host", "host", "HOST"])
    expect(() =>
      targetOf(request("/", { lines: ["Host", "a", "Accept", "*/*", second, "a"] }), undefined),
    ).toThrow(refused);
});

test("a request for another protocol is refused", () => {
  for (const protocol of ["websocket", "h2c", "TLS/1.0", ""])
    expect(() => targetOf(request("/", { lines: ["Host", "a", "Upgrade", protocol] }), undefined)).toThrow(
      refused,
    );
});
