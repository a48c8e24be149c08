import { expect, test } from "vitest";
import { z } from "zod";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { PriceListQuery } from "#contract/price-book.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { UsageReportQuery } from "#contract/usage-report.ts";
import { validationError } from "./errors.ts";

/** What a client reads first, and every issue. */
function reported(schema: z.ZodType, value: object) {
  const parsed = schema.safeParse(value);
  if (parsed.success) throw new Error("It fits");
  const { message, param, metadata } = validationError(parsed.error);
  return { message, param, issues: metadata.issues };
}
const completion = (body: object) => reported(CompletionRequest, { prompt: "a", ...body }).message;
const response = (body: object) => reported(ResponseRequest, { input: "a", ...body }).message;

test("a missing field is reported as required, with the expected type", () => {
  expect(reported(ResponseRequest, {}).message).toBe("input: is required: string or array");
  expect(reported(CompletionRequest, {}).message).toBe(
    "prompt: is required: a text, tokens, or 1 to 2048 of either",
  );
  expect(reported(ChatRequest, {}).message).toBe("messages: is required: array");
  expect(reported(PriceListQuery, {}).message).toBe(
    'endpoint: is required: provider:model or provider/variant:model, such as "mistral:mistralai/mistral-large"',
  );
  expect(reported(UsageReportQuery, {}).issues).toEqual([
    { path: "from", message: "is required: a day such as 2026-11-20" },
    { path: "to", message: "is required: a day such as 2026-11-20" },
  ]);
});

test("a value that matches no alternative of a union is reported with all of them", () => {
  const measures = 'one of "price"|"latency"|"throughput"';
  for (const sort of ["Price", "exacto"])
    expect(completion({ provider: { sort } })).toBe(
      `provider.sort: Invalid input: expected ${measures} or object, received string`,
    );
  expect(completion({ provider: { preferred_max_latency: "fast" } })).toBe(
    "provider.preferred_max_latency: Invalid input: expected number or object, received string",
  );
  expect(response({ tool_choice: "bogus" })).toBe(
    'tool_choice: Invalid input: expected one of "none"|"auto"|"required" or object, received string',
  );
});

test("a value that matches an alternative of a union except in one part is reported with that part's name", () => {
  expect(completion({ provider: { sort: { by: "x" } } })).toBe(
    'provider.sort.by: Invalid option: expected one of "price"|"latency"|"throughput"',
  );
  expect(completion({ stop: ["1", "2", "3", "4", "5"] })).toBe(
    "stop: Too big: expected array to have <=4 items",
  );
  expect(response({ input: [{ role: "user", content: [{ type: "input_text", text: 4 }] }] })).toBe(
    "input.0.content.0.text: Invalid input: expected string, received number",
  );
  expect(reported(ChatRequest, { messages: [{ role: "user", content: [{ text: 3 }] }] }).issues).toEqual([
    { path: "messages.0.content.0.type", message: "is required: string" },
    { path: "messages.0.content.0.text", message: "Invalid input: expected string, received number" },
  ]);
});

test("a message of the schema itself is not changed", () => {
  expect(completion({ prompt: ["a", 3] })).toBe("prompt: must be a text, tokens, or 1 to 2048 of either");
  expect(response({ input: [{ role: "user", content: [{ type: "input_image" }] }] })).toBe(
    "input.0.content.0: needs image_url or file_id",
  );
});

test("a key that is too long is named by its beginning, and what it may be", () => {
  const { param, message } = reported(ChatRequest, {
    messages: [{ role: "user", content: "a" }],
    metadata: { ["k".repeat(1_000_000)]: "x" },
  });
  expect(param).toBe(`metadata.${"k".repeat(64)}…`);
  expect(message).toBe(`${param}: a key may have 64 characters at most`);
});

test("of many mistakes the first twenty are reported, each with limited length", () => {
  const parts = Array.from({ length: 900 }, () => ({}));
  const messages = Array.from({ length: 30 }, () => ({ role: "user", content: parts }));
  const { issues } = reported(ChatRequest, { messages });
  expect(issues).toHaveLength(20);
  const unknown = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`key${at}`, 0]));
  for (const value of [{ messages }, { provider: unknown }, { metadata: unknown }])
    expect(JSON.stringify(reported(ChatRequest, value)).length).toBeLessThan(20_000);
  const long = z.string().refine(() => false, "x".repeat(10_000));
  expect(reported(z.object({ long }), { long: "a" }).message).toBe(`long: ${"x".repeat(500)}…`);
});

test("an unknown key is named itself", () => {
  expect(reported(CompletionRequest, { prompt: "a", provider: { onyl: [] } })).toMatchObject({
    param: "provider.onyl",
    message: "provider.onyl: is not a known field",
  });
});
