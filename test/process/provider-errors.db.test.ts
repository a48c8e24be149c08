import { afterAll, describe, expect, test } from "vitest";
import { startUpstream } from "#test/dialects/server.ts";
import { type RecordedError, recordedErrors, recordedRequest } from "#test/provider-errors.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const [failing, healthy] = [await startUpstream(), await startUpstream()];
afterAll(() => Promise.all([failing.close(), healthy.close()]));
const answer = {
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
};
healthy.answer = (response) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));

const provider = (slug: string, origin: string) => ({
  slug,
  name: slug,
  base_url: `${origin}/v1`,
  auth: "bearer",
  apis: ["chat"],
});
const endpoint = (slug: string, model: string, input: string) => ({
  provider: slug,
  model,
  upstream_model: "theirs",
  price: { currency: "EUR", input, output: input },
});
const server = await startTestServer({
  overlay: {
    providers: [provider("failing", failing.origin), provider("healthy", healthy.origin)],
    models: ["test/alone", "test/both"].map((id) => ({ id, context_length: 100_000 })),
    endpoints: [
      endpoint("failing", "test/alone", "1"),
      endpoint("failing", "test/both", "1"),
      endpoint("healthy", "test/both", "2"),
    ],
  },
  settings: { FAILING_API_KEY: "one", HEALTHY_API_KEY: "two", ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
});
const { key } = await newOrganisation(server);

const overHttp = recordedErrors.filter(({ kind }) => kind === undefined);
const find = (named: string): RecordedError => {
  const row = overHttp.find(({ what, provider: who }) => `${who}: ${what}` === named);
  if (!row) throw new Error(`There is no recorded error ${named}`);
  return row;
};
/** No answer is sent without the sequences at which the client wants it to stop, so the request is not repeated. */
const withoutStop: RecordedError = {
  ...find("openai: unknown argument"),
  body: {
    error: { message: "Unsupported parameter: 'stop' is not supported with this model.", param: "stop" },
  },
};
const answerWith = ({ status, headers, body }: RecordedError) => {
  failing.answer = (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
async function ask(model: string, more: object = {}) {
  const { messages: _, model: __, ...parameters } = recordedRequest;
  const body = {
    model,
    messages: [{ role: "user", content: "Hello" }],
    provider: { sort: "price" },
    ...parameters,
    ...more,
  };
  const response = await server.post("/chat/completions", body, { key });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const errorOf = ({ text }: { text: string }) =>
  (
    JSON.parse(text) as {
      error: { param: string | null; message: string; metadata: Record<string, unknown> };
    }
  ).error;

describe("the client of a provider that fails", () => {
  test("reads which field is not supported, in the field and in words", async () => {
    answerWith(withoutStop);
    const refused = await ask("test/alone", { stop: "x" });
    expect(refused.status).toBe(400);
    expect(errorOf(refused)).toMatchObject({
      param: "stop",
      message: "stop: is not supported by the provider for this model",
      metadata: { error_type: "unsupported_parameter" },
    });
    answerWith(find("openai: invalid value"));
    expect(errorOf(await ask("test/alone"))).toMatchObject({ param: "temperature" });
  });

  test("reads that the owner of the credential has to act, and is not asked to try again", async () => {
    answerWith(find("openai: no quota left"));
    const refused = await ask("test/alone");
    expect([
      refused.status,
      refused.headers.get("x-should-retry"),
      refused.headers.get("retry-after"),
    ]).toEqual([502, "false", null]);
    expect(errorOf(refused)).toMatchObject({
      message: expect.stringContaining("spending limit of the credential"),
      metadata: { error_type: "provider_quota_exceeded", previous_errors: [{ code: "quota", status: 429 }] },
    });
  });

  test("reads nothing of what the provider wrote", async () => {
    for (const row of overHttp) {
      answerWith({
        ...row,
        body: { error: { ...(row.body as object), message: `${JSON.stringify(row.body)} q7secret` } },
      });
      const { text } = await ask("test/alone");
      expect(text).not.toContain("q7secret");
    }
  });
});

test("another endpoint serves where the failure allows it, and only a provider's own failure counts against it", async () => {
  const routed = async (): Promise<readonly string[]> => {
    const before = [failing.received.length, healthy.received.length];
    expect((await ask("test/both", { stop: "x" })).status).toBe(200);
    const asked = [failing, healthy].map(({ received }, at) => received.length - (before[at] ?? 0));
    return ["failing", "healthy"].filter((_, at) => (asked[at] ?? 0) > 0);
  };
  const rows = [find("openai: no quota left"), find("groq: more than the rate limit"), withoutStop];
  for (const row of rows) {
    answerWith(row);
    for (let times = 0; times < 3; times++) expect(await routed()).toEqual(["failing", "healthy"]);
  }
  answerWith(find("openai: rate limit"));
  expect(await routed()).toEqual(["failing", "healthy"]);
  // It said to wait, so it is not asked at once.
  expect(await routed()).toEqual(["healthy"]);
});
