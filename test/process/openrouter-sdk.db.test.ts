import { OpenRouter } from "@openrouter/sdk";
import * as errors from "@openrouter/sdk/models/errors";
import { describe, expect, test } from "vitest";
import { unservedOperation } from "#contract/unserved-operations.ts";
import { sdkMethods, whyUnserved } from "#test/openrouter-sdk-methods.ts";
import { allOf, credentialCalls, keyCalls, type SdkCall } from "./openrouter-sdk-keys.ts";
import { presetCalls } from "./openrouter-sdk-presets.ts";
import { budgetCalls, workspaceCalls } from "./openrouter-sdk-workspaces.ts";
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

/** The last event of a stream; its type does not show that it is one. */
async function lastOf(stream: object): Promise<unknown> {
  if (!(Symbol.asyncIterator in stream)) throw new TypeError("This is no stream");
  return (await allOf(stream as AsyncIterable<unknown>)).at(-1);
}

/** The ids of a list of models, over all pages. */
async function idsOf(pages: AsyncIterable<{ result: { data: { id: string }[] } }>): Promise<string[]> {
  return (await allOf(pages)).flatMap(({ result }) => result.data.map(({ id }) => id));
}

/** By method: a call, and what its answer must contain. The SDK throws for what its schemas do not know. */
const calls: readonly SdkCall[] = [
  ...(await keyCalls(sdk)),
  ...credentialCalls(sdk),
  ...budgetCalls(sdk),
  ...(await presetCalls(server, sdk)),
  ...(await workspaceCalls(server, sdk)),
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
    expect(served).toEqual([...new Set(calls.map(([name]) => name))].toSorted());
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

  test("is the only client that reads a key without a workspace as an empty text", async () => {
    const { data } = await sdk.apiKeys.create({ requestBody: { name: "of none" } });
    expect(await (await server.send("GET", `/keys/${data.hash}`)).json()).toMatchObject({
      data: { workspace_id: null },
    });
  });

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
      [() => sdk.presets.get({ slug: "none" }), errors.NotFoundResponseError, 404],
      [() => sdk.guardrails.list(), errors.OpenRouterDefaultError, 404],
    ];
    for (const [call, expected, status] of refusals) {
      const thrown = await call().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(expected);
      expect(thrown).toMatchObject({ statusCode: status });
    }
  });
});
