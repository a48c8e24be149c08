import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failing, startConversations } from "#test/dialects/conversations.ts";
import { dialects } from "#test/dialects/index.ts";
import { type RecordedError, recordedErrors, recordedRequest } from "#test/provider-errors.ts";
import { failureOfRefusal } from "./failures.ts";

const { upstream, complete, streamed } = await startConversations();
const bodyText = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));
const failureOf = ({ status, headers, body }: RecordedError, text = bodyText(body)) =>
  failureOfRefusal({ status, ...(headers && { headers }), body: text, request: recordedRequest });

const secret = "Zq7-upstream-only";
/** A body in which every text ends in what nobody else may read. */
function marked(value: unknown): unknown {
  if (typeof value === "string") return `${value} ${secret}`;
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner)]));
}

describe("the error of a provider", () => {
  test.each(recordedErrors)("$provider: $what ($status) is $becomes.outcome", (row) => {
    const { failure } = failureOf(row);
    const { param, retryAfterMs = null, ...becomes } = row.becomes;
    expect(failure).toMatchObject({ ...becomes, status: row.status, retryAfterMs });
    expect(failure.parameter).toBe(row.becomes.outcome === "unsupported_parameter" ? param : undefined);
    expect(failure.parameter ?? failure.invalidField).toBe(param);
  });

  test.each(recordedErrors)("$provider: $what ($status): none of its text is passed on", (row) => {
    const reported = inspect(failureOf(row, bodyText(marked(row.body))), { depth: 10, showHidden: true });
    expect(reported).not.toContain(secret);
  });

  test("over the connection of every kind of provider it is the same, complete and streamed", async () => {
    for (const row of recordedErrors) {
      const dialect = dialects.find(({ kind }) => kind === (row.kind ?? "openai-compatible"));
      if (!dialect) throw new Error(`There is no dialect of ${row.kind}`);
      // Fields that this provider is never sent cannot be what its error is about.
      if (row.becomes.param) continue;
      upstream.answer = (response) =>
        response
          .writeHead(row.status, { "content-type": "application/json", ...row.headers })
          .end(bodyText(marked(row.body)));
      for (const attempt of [complete(dialect), streamed(dialect)]) {
        const error = await failing(attempt);
        expect([row.what, error.failure.retry, error.failure.blame, error.failure.code]).toEqual([
          row.what,
          row.becomes.retry,
          row.becomes.blame,
          row.becomes.code,
        ]);
        expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
      }
    }
  });

  test("names a field that the client has sent, over the connection", async () => {
    const dialect = dialects.find(({ kind }) => kind === "openai-compatible");
    if (!dialect) throw new Error("There is no such dialect");
    const row = recordedErrors.find(({ what }) => what === "unknown argument");
    upstream.answer = (response) => response.writeHead(400).end(bodyText(row?.body));
    expect((await failing(complete(dialect, { top_k: 5 }))).failure.parameter).toBe("top_k");
    expect((await failing(complete(dialect))).failure.parameter).toBeUndefined();
  });
});

describe("a field that an error names", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "top_k",
      "messages.0.role",
      "messages",
      "__proto__",
      "constructor",
      "tools.0",
      "..",
      "[0]",
    ),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      texts,
      texts.map((name) => `Unknown parameter: '${name}'.`),
      texts.map((name) => `${name}: Extra inputs are not permitted`),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom("error", "message", "param", "loc", "code", "type", "detail", "retryDelay", "x"),
        tie("value"),
      ),
    ),
  })).value;

  test("is always one of the request, whatever a provider answers", () => {
    fc.assert(
      fc.property(fc.constantFrom(400, 422), values, (status, body) => {
        const { failure } = failureOfRefusal({ status, body, request: recordedRequest });
        const named = failure.parameter ?? failure.invalidField;
        if (named === undefined) return;
        expect(named).toMatch(/^[A-Za-z0-9_.[\]-]{1,64}$/);
        expect([...Object.keys(recordedRequest), "messages[0]", "messages[0].role"]).toContain(named);
      }),
      { numRuns: 2_000 },
    );
  });

  test("is never inside a client's schema, nor the model", () => {
    const request = {
      ...recordedRequest,
      tools: [{ type: "function", function: { name: "f", parameters: { properties: { salary: {} } } } }],
    };
    const named = (param: string) =>
      failureOfRefusal({ status: 400, body: { error: { param, code: "unknown_parameter" } }, request })
        .failure.parameter;
    expect(named("tools[0].function.parameters.properties.salary")).toBe("tools[0].function.parameters");
    expect(named("model")).toBeUndefined();
    expect(named("messages.0.unknown")).toBeUndefined();
    expect(named("generationConfig.thinkingConfig.thinkingBudget")).toBe("reasoning_effort");
  });
});
