import { afterAll, beforeEach, expect } from "vitest";
import type { ProviderCredential } from "#contract/byok.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { startTestServer } from "./server.ts";

export const [email, password] = ["owner@example.eu", "a password for tests only"];
export const secret = "sk-own-canary-0123456789";

const model = (id: string) => ({ id, context_length: 8192 });
const at = (provider: string, id: string) => ({
  provider,
  model: id,
  upstream_model: "theirs",
  price: { currency: "EUR", input: "10", output: "20" },
});
const answered = {
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

/** A server with providers for which the installation has a credential, or has none. */
export async function startByokServer() {
  const upstream = await startUpstream();
  afterAll(() => upstream.close());
  const baseUrl = `${upstream.origin}/v1`;
  const server = await startTestServer({
    overlay: {
      providers: [
        { slug: "bring-only", name: "Bring only", base_url: baseUrl },
        { slug: "shared", name: "Shared", base_url: baseUrl },
        { slug: "closed", name: "Closed", base_url: baseUrl, byok_supported: false },
      ],
      models: [model("test/own"), model("test/shared"), model("test/other")],
      endpoints: [at("bring-only", "test/own"), at("shared", "test/shared"), at("bring-only", "test/other")],
    },
    settings: {
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      SHARED_API_KEY: "installation-secret",
      ADMIN_EMAIL: email,
      ADMIN_PASSWORD: password,
    },
  });
  const { post, send } = server;

  /** The status with which the provider answers a credential, when that is not 200. */
  const refusedKeys = new Map<string, number>();
  beforeEach(() => {
    upstream.received.length = 0;
    refusedKeys.clear();
    upstream.answer = (response, { headers, path }) => {
      const status = refusedKeys.get(headers.authorization?.slice("Bearer ".length) ?? "") ?? 200;
      const body = path.endsWith("/models") ? { data: [] } : answered;
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(status === 200 ? body : { error: { message: `no ${secret}` } }));
    };
  });

  const authorizations = () => upstream.received.map(({ headers }) => headers.authorization);
  const chat = (name: string, key?: string) =>
    post("/chat/completions", { model: name, messages: [{ role: "user", content: "Hi" }] }, { key });
  async function add(own: object): Promise<ProviderCredential> {
    const response = await post("/byok", { name: "Ours", key: secret, ...own });
    expect(response.status).toBe(201);
    return ((await response.json()) as { data: ProviderCredential }).data;
  }
  const remove = ({ id }: ProviderCredential) => send("DELETE", `/byok/${id}`);
  return { server, upstream, refusedKeys, authorizations, chat, add, remove };
}
