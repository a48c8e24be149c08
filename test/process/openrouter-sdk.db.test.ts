import { OpenRouter } from "@openrouter/sdk";
import * as errors from "@openrouter/sdk/models/errors";
import { describe, expect, test } from "vitest";
import { unservedOperation } from "#contract/unserved-operations.ts";
import { sdkMethods, whyUnserved } from "#test/openrouter-sdk-methods.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const serverURL = `${server.origin}/api/v1`;
const sdk = new OpenRouter({
  apiKey: server.key,
  serverURL,
  retryConfig: { strategy: "none" },
});

const model = "sandbox/chat";
const messages = [{ role: "user" as const, content: "Which port?" }];
// Each provider has its price, and the SDK writes prices as text.
const provider = { only: ["sandbox-fr"], maxPrice: { prompt: "10", completion: "10.5" } };

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The last event of a stream; its type does not show that it is one. */
async function lastOf(stream: object): Promise<unknown> {
  if (!(Symbol.asyncIterator in stream)) throw new TypeError("This is no stream");
  return (await allOf(stream as AsyncIterable<unknown>)).at(-1);
}

/** The ids of a list of models, over all pages. */
async function idsOf(pages: AsyncIterable<{ result: { data: { id: string }[] } }>): Promise<string[]> {
  return (await allOf(pages)).flatMap(({ result }) => result.data.map(({ id }) => id));
}

async function workspaceOf(name: string): Promise<string> {
  const response = await server.send("POST", "/workspaces", { body: JSON.stringify({ name }) });
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}
/** The SDK knows only keys that belong to a workspace. */
const workspaceId = await workspaceOf("SDK");
const newKey = (name: string) => sdk.apiKeys.create({ requestBody: { name, workspaceId, limit: 5 } });
const newCredential = (name: string) =>
  sdk.byok.create({ createBYOKKeyRequest: { provider: "mistral", key: "secret-secret-secret", name } });

/** Methods whose answers have another form here. */
const differing = [
  "analytics.getUserActivity",
  "organization.listMembers",
  "workspaces.create",
  "workspaces.delete",
  "workspaces.deleteBudget",
  "workspaces.get",
  "workspaces.getBudget",
  "workspaces.list",
  "workspaces.listBudgets",
  "workspaces.listMembers",
  "workspaces.setBudget",
  "workspaces.update",
];

/** By method: a call, and what its answer must contain. The SDK throws for what its schemas do not know. */
const calls: readonly (readonly [method: string, call: () => Promise<unknown>, expected: unknown])[] = [
  [
    "chat.send",
    () => sdk.chat.send({ chatRequest: { model, messages, maxTokens: 5, provider } }),
    { object: "chat.completion", model, usage: { completionTokens: 5, isByok: false } },
  ],
  [
    "chat.send",
    async () => lastOf(await sdk.chat.send({ chatRequest: { model, messages, maxTokens: 5, stream: true } })),
    { object: "chat.completion.chunk", choices: [], usage: { completionTokens: 5 } },
  ],
  [
    "responses.send",
    () => sdk.responses.send({ responsesRequest: { model, input: "Which port?" } }),
    { object: "response", status: "completed" },
  ],
  [
    "responses.send",
    async () => lastOf(await sdk.responses.send({ responsesRequest: { model, input: "a", stream: true } })),
    { type: "response.completed" },
  ],
  [
    "embeddings.generate",
    () => sdk.embeddings.generate({ requestBody: { model: "sandbox/embed", input: ["a", "b"] } }),
    { data: [{ index: 0 }, { index: 1 }], usage: { costDetails: { upstreamInferenceCompletionsCost: 0 } } },
  ],
  [
    "rerank.rerank",
    () =>
      sdk.rerank.rerank({
        requestBody: { model: "sandbox/rerank", query: "a", documents: ["b", { text: "a" }], topN: 1 },
      }),
    { results: [{ index: 1, document: { text: "a" } }], usage: { searchUnits: 1 } },
  ],
  [
    "models.list",
    async () => (await allOf(await sdk.models.list())).flatMap(({ result }) => result.data.slice(0, 1)),
    [{ topProvider: { isModerated: false } }],
  ],
  [
    "endpoints.list",
    () => sdk.endpoints.list({ author: "sandbox", slug: "chat" }),
    { data: { id: model, endpoints: [{ modelId: model }, { modelId: model }, { modelId: model }] } },
  ],
  ["providers.list", () => sdk.providers.list(), { data: expect.any(Array) }],
  [
    "generations.getGeneration",
    async () => {
      const { id } = await server.client.chat.completions.create({ model, messages });
      await server.services.billing.drain();
      return sdk.generations.getGeneration({ id });
    },
    { data: { model, streamed: false, cancelled: false, serviceTier: null } },
  ],
  ["credits.getCredits", () => sdk.credits.getCredits(), { data: { totalCredits: 10 } }],
  [
    "apiKeys.getCurrentKeyMetadata",
    () => sdk.apiKeys.getCurrentKeyMetadata(),
    { data: { isManagementKey: true, rateLimit: { requests: 1_000_000, interval: "1m" } } },
  ],
  ["apiKeys.create", () => newKey("made"), { data: { name: "made", limit: 5, workspaceId }, key: /^ptl_/ }],
  [
    "apiKeys.list",
    () => sdk.apiKeys.list({ workspaceId }),
    { data: expect.arrayContaining([expect.objectContaining({ workspaceId })]) },
  ],
  [
    "apiKeys.get",
    async () => sdk.apiKeys.get({ hash: (await newKey("read")).data.hash }),
    { data: { name: "read" } },
  ],
  [
    "apiKeys.update",
    async () =>
      sdk.apiKeys.update({
        hash: (await newKey("old")).data.hash,
        requestBody: { name: "new", disabled: true },
      }),
    { data: { name: "new", disabled: true } },
  ],
  [
    "apiKeys.delete",
    async () => sdk.apiKeys.delete({ hash: (await newKey("gone")).data.hash }),
    { deleted: true },
  ],
  ["byok.create", () => newCredential("made"), { data: { name: "made", label: "…cret" } }],
  [
    "byok.list",
    async () => (await allOf(await sdk.byok.list())).flatMap(({ result }) => result.data.slice(0, 1)),
    [{ provider: "mistral" }],
  ],
  [
    "byok.get",
    async () => sdk.byok.get({ id: (await newCredential("read")).data.id }),
    { data: { name: "read" } },
  ],
  [
    "byok.update",
    async () =>
      sdk.byok.update({
        id: (await newCredential("old")).data.id,
        updateBYOKKeyRequest: { name: "new", disabled: true },
      }),
    { data: { name: "new", disabled: true } },
  ],
  [
    "byok.delete",
    async () => sdk.byok.delete({ id: (await newCredential("gone")).data.id }),
    { deleted: true },
  ],
  [
    "oAuth.createAuthCode",
    () => sdk.oAuth.createAuthCode({ requestBody: { callbackUrl: "https://app.example/cb", ...challenge } }),
    { data: { id: expect.any(String), appId: 0 } },
  ],
  [
    "oAuth.exchangeAuthCodeForAPIKey",
    async () => {
      const requestBody = { callbackUrl: "https://app.example/cb", ...challenge };
      const { data } = await sdk.oAuth.createAuthCode({ requestBody });
      return sdk.oAuth.exchangeAuthCodeForAPIKey({
        requestBody: { code: data.id, codeVerifier, codeChallengeMethod: "S256" },
      });
    },
    { key: expect.stringMatching(/^ptl_/), userId: expect.any(String) },
  ],
  [
    "beta.responses.send",
    () => sdk.beta.responses.send({ responsesRequest: { model, input: "Which port?" } }),
    { object: "response", status: "completed" },
  ],
  ["callModel", () => sdk.callModel({ model, input: "Which port?" }).getText(), expect.any(String)],
  ["models.count", () => sdk.models.count(), { data: { count: expect.any(Number) } }],
  [
    "models.get",
    () => sdk.models.get({ author: "sandbox", slug: "chat" }),
    { data: { id: model, canonicalSlug: model } },
  ],
  [
    "models.list",
    async () => idsOf(await sdk.models.list({ outputModalities: "embeddings", limit: 500 })),
    expect.arrayContaining(["sandbox/embed"]),
  ],
  [
    "models.listForUser",
    async () => idsOf(await sdk.models.listForUser({ bearer: server.key })),
    expect.arrayContaining([model, "sandbox/embed"]),
  ],
  [
    "embeddings.listModels",
    async () => idsOf(await sdk.embeddings.listModels()),
    expect.arrayContaining(["sandbox/embed"]),
  ],
  [
    "endpoints.listZdrEndpoints",
    () => sdk.endpoints.listZdrEndpoints(),
    { data: expect.arrayContaining([expect.objectContaining({ modelId: model })]) },
  ],
  [
    "oAuth.createAuthorizationUrl",
    () => sdk.oAuth.createAuthorizationUrl({ callbackUrl: "https://app.example/cb" }),
    expect.stringContaining(`${server.origin}/auth?callback_url=`),
  ],
];

/** The pair of RFC 7636, appendix B. */
const codeVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = {
  codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  codeChallengeMethod: "S256" as const,
};

describe("the unmodified SDK of OpenRouter", () => {
  test.each(calls)("reads the answer of %s, case %#", async (_, call, expected) => {
    expect({ answer: await call() }).toMatchObject({ answer: expected });
  });

  test("reads the endpoints of every listed model", async () => {
    const [page] = await allOf(await sdk.models.list());
    const ids = page?.result.data.map(({ id }) => id) ?? [];
    expect(ids.length).toBeGreaterThan(50);
    for (const id of ids) {
      const [author = "", ...slug] = id.split("/");
      const { data } = await sdk.endpoints.list({ author, slug: slug.join("/") });
      expect(data.id).toBe(id);
    }
  });

  test("has no other methods than these and those that are refused", () => {
    const served = sdkMethods.filter((method) => whyUnserved(method) === null).map(({ name }) => name);
    expect(served).toEqual([...new Set([...calls.map(([name]) => name), ...differing])].toSorted());
  });

  test.each(sdkMethods.filter((method) => whyUnserved(method) !== null))(
    "gets an error that explains why $name is not served",
    async (sdkMethod) => {
      const { method, path } = sdkMethod.operation ?? { method: "", path: "" };
      const sent = await server.send(method, path.replaceAll(/\{\w+\}/g, "one"));
      expect(sent.status).toBe(404);
      const { error } = (await sent.json()) as { error: { message: string } };
      const operation = `${method} ${unservedOperation(method, path)?.path}`;
      expect(error.message).toBe(`${operation} is not served. ${whyUnserved(sdkMethod)}`);
    },
  );

  test("throws its own error for every refusal", async () => {
    const refusals: readonly (readonly [
      () => Promise<unknown>,
      abstract new (...args: never[]) => Error,
      number,
    ])[] = [
      [() => sdk.apiKeys.get({ hash: "A".repeat(12) }), errors.NotFoundResponseError, 404],
      [() => sdk.apiKeys.create({ requestBody: { name: "" } }), errors.BadRequestResponseError, 400],
      [
        () => sdk.chat.send({ chatRequest: { model: "no/model", messages } }),
        errors.NotFoundResponseError,
        404,
      ],
      [
        () => new OpenRouter({ apiKey: "none", serverURL }).credits.getCredits(),
        errors.UnauthorizedResponseError,
        401,
      ],
      [() => sdk.presets.list(), errors.OpenRouterDefaultError, 404],
    ];
    for (const [call, expected, status] of refusals) {
      const thrown = await call().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(expected);
      expect(thrown).toMatchObject({ statusCode: status });
    }
  });
});
