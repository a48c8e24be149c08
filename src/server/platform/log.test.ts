import { expect, test } from "vitest";
import { createLog } from "./log.ts";
import { OutboundError } from "./outbound-error.ts";

function said(fields: object): Record<string, unknown> {
  const lines: string[] = [];
  createLog("info", (line) => void lines.push(line)).info(fields, "Said");
  return JSON.parse(lines[0] ?? "{}");
}

test("a line carries the fields it may, and nothing else that was handed in", () => {
  expect(said({ event: "test", provider: "own", apiKey: "ptl_secret" })).toEqual({
    level: 30,
    time: expect.any(String),
    event: "test",
    provider: "own",
    msg: "Said",
  });
});

test("an error is logged with name, message, stack and causes, without its other properties", () => {
  const error = new Error("outer", { cause: Object.assign(new TypeError("inner"), { secret: "s3cret" }) });
  const { error: text } = said({ error });
  expect(text).toMatch(/^Error: outer\n {4}at [\s\S]*\ncaused by TypeError: inner\n {4}at /);
  expect(text).not.toContain("s3cret");
});

test("that another host cannot be reached is one line", () => {
  const error = new OutboundError("connect", "The connection failed", new Error("getaddrinfo ENOTFOUND x"));
  expect(said({ error }).error).toBe(
    "OutboundError: The connection failed, caused by Error: getaddrinfo ENOTFOUND x",
  );
});
