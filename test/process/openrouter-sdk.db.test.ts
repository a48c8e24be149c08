import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OpenRouter } from "@openrouter/sdk";
import { describe, expect, test } from "vitest";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const sdk = new OpenRouter({
  apiKey: server.key,
  serverURL: `${server.origin}/api/v1`,
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

/** Operations of ours that the SDK knows and reads differently, and why. */
const differing: Readonly<Record<string, string>> = {
  "GET /activity": "our report has its own period, groups and exact amounts",
  "GET /workspaces": "the SDK requires guardrails and logging settings of a workspace",
  "POST /workspaces": "the SDK requires a slug",
  "GET /workspaces/{}": "as the list",
  "PATCH /workspaces/{}": "as the list",
  "DELETE /workspaces/{}": "the SDK cannot create one to delete",
};

/** By what the SDK sends: a call, and what its answer must contain. The SDK throws for what its schemas do not know. */
const calls: readonly (readonly [path: string, call: () => Promise<unknown>, expected: unknown])[] = [
  [
    "POST /chat/completions",
    () => sdk.chat.send({ chatRequest: { model, messages, maxTokens: 5, provider } }),
    { object: "chat.completion", model, usage: { completionTokens: 5, isByok: false } },
  ],
  [
    "POST /chat/completions",
    async () => lastOf(await sdk.chat.send({ chatRequest: { model, messages, maxTokens: 5, stream: true } })),
    { object: "chat.completion.chunk", choices: [], usage: { completionTokens: 5 } },
  ],
  [
    "POST /responses",
    () => sdk.responses.send({ responsesRequest: { model, input: "Which port?" } }),
    { object: "response", status: "completed" },
  ],
  [
    "POST /responses",
    async () => lastOf(await sdk.responses.send({ responsesRequest: { model, input: "a", stream: true } })),
    { type: "response.completed" },
  ],
  [
    "POST /embeddings",
    () => sdk.embeddings.generate({ requestBody: { model: "sandbox/embed", input: ["a", "b"] } }),
    { data: [{ index: 0 }, { index: 1 }], usage: { costDetails: { upstreamInferenceCompletionsCost: 0 } } },
  ],
  [
    "POST /rerank",
    () =>
      sdk.rerank.rerank({
        requestBody: { model: "sandbox/rerank", query: "a", documents: ["b", { text: "a" }], topN: 1 },
      }),
    { results: [{ index: 1, document: { text: "a" } }], usage: { searchUnits: 1 } },
  ],
  [
    "GET /models",
    async () => (await allOf(await sdk.models.list())).flatMap(({ result }) => result.data.slice(0, 1)),
    [{ topProvider: { isModerated: false } }],
  ],
  [
    "GET /models/{}/{}/endpoints",
    () => sdk.endpoints.list({ author: "sandbox", slug: "chat" }),
    { data: { id: model, endpoints: [{ modelId: model }, { modelId: model }, { modelId: model }] } },
  ],
  ["GET /providers", () => sdk.providers.list(), { data: expect.any(Array) }],
  [
    "GET /generation",
    async () => {
      const { id } = await server.client.chat.completions.create({ model, messages });
      await server.services.billing.drain();
      return sdk.generations.getGeneration({ id });
    },
    { data: { model, streamed: false, cancelled: false, serviceTier: null } },
  ],
  ["GET /credits", () => sdk.credits.getCredits(), { data: { totalCredits: 10 } }],
  [
    "GET /key",
    () => sdk.apiKeys.getCurrentKeyMetadata(),
    { data: { isManagementKey: true, rateLimit: { requests: 1_000_000, interval: "1m" } } },
  ],
  ["POST /keys", () => newKey("made"), { data: { name: "made", limit: 5, workspaceId }, key: /^ptl_/ }],
  [
    "GET /keys",
    () => sdk.apiKeys.list({ workspaceId }),
    { data: expect.arrayContaining([expect.objectContaining({ workspaceId })]) },
  ],
  [
    "GET /keys/{}",
    async () => sdk.apiKeys.get({ hash: (await newKey("read")).data.hash }),
    { data: { name: "read" } },
  ],
  [
    "PATCH /keys/{}",
    async () =>
      sdk.apiKeys.update({
        hash: (await newKey("old")).data.hash,
        requestBody: { name: "new", disabled: true },
      }),
    { data: { name: "new", disabled: true } },
  ],
  [
    "DELETE /keys/{}",
    async () => sdk.apiKeys.delete({ hash: (await newKey("gone")).data.hash }),
    { deleted: true },
  ],
  ["POST /byok", () => newCredential("made"), { data: { name: "made", label: "…cret" } }],
  [
    "GET /byok",
    async () => (await allOf(await sdk.byok.list())).flatMap(({ result }) => result.data.slice(0, 1)),
    [{ provider: "mistral" }],
  ],
  [
    "GET /byok/{}",
    async () => sdk.byok.get({ id: (await newCredential("read")).data.id }),
    { data: { name: "read" } },
  ],
  [
    "PATCH /byok/{}",
    async () =>
      sdk.byok.update({
        id: (await newCredential("old")).data.id,
        updateBYOKKeyRequest: { name: "new", disabled: true },
      }),
    { data: { name: "new", disabled: true } },
  ],
  [
    "DELETE /byok/{}",
    async () => sdk.byok.delete({ id: (await newCredential("gone")).data.id }),
    { deleted: true },
  ],
  [
    "POST /auth/keys/code",
    () => sdk.oAuth.createAuthCode({ requestBody: { callbackUrl: "https://app.example/cb", ...challenge } }),
    { data: { id: expect.any(String), appId: 0 } },
  ],
  [
    "POST /auth/keys",
    async () => {
      const requestBody = { callbackUrl: "https://app.example/cb", ...challenge };
      const { data } = await sdk.oAuth.createAuthCode({ requestBody });
      return sdk.oAuth.exchangeAuthCodeForAPIKey({
        requestBody: { code: data.id, codeVerifier, codeChallengeMethod: "S256" },
      });
    },
    { key: expect.stringMatching(/^ptl_/), userId: expect.any(String) },
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
    expect(await call()).toMatchObject(expected as object);
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

  test("knows no operation of ours besides these", async () => {
    const folder = new URL("./", import.meta.resolve("@openrouter/sdk/funcs/chatSend.js"));
    const known = readdirSync(fileURLToPath(folder))
      .filter((name) => name.endsWith(".js"))
      .flatMap((name) => {
        const text = readFileSync(new URL(name, folder), "utf8");
        const path = /pathToFunc\("([^"]+)"\)/.exec(text)?.[1];
        const method = /method: "([A-Z]+)"/.exec(text)?.[1];
        return path && method ? [`${method} ${path.replaceAll(/\{[^}]+\}/g, "{}")}`] : [];
      });
    expect(known).toContain("POST /chat/completions");
    const document = await (await server.send("GET", "/openapi.json")).json();
    const { paths } = document as { paths: Record<string, object> };
    const ours = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map(
          (method) =>
            `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, "").replaceAll(/\{[^}]+\}/g, "{}")}`,
        ),
      ),
    );
    const covered = [...calls.map(([path]) => path), ...Object.keys(differing)];
    expect(known.filter((path) => ours.has(path)).toSorted()).toEqual([...new Set(covered)].toSorted());
  });
});
