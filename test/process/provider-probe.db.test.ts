import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { ProviderProbe } from "#contract/provider-probe.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { credential } from "#test/providers/serve.ts";
import { type Body, startWithOwnServers } from "./own-provider-client.ts";
import { answer, refusal } from "./rule-client.ts";

const { services, us, operator, servers, ownServer, add, chat } = await startWithOwnServers();
const { vllm, closed, other } = servers;

describe("a probe", () => {
  const probe = async (to: typeof us, body: Body) =>
    (await answer(data(ProviderProbe), await to.post("/catalogue-entries/probe", body))).data;

  test.each(["/v1", "/v1/", "", "/"])("finds vLLM and its models at %j", async (path) => {
    expect(await probe(us, { base_url: vllm.origin + path })).toMatchObject({
      success: true,
      base_url: vllm.baseUrl,
      server: "vllm",
      auth: "bearer-optional",
      models: [{ id: "Qwen/Qwen3-32B", type: "chat", context_length: 32_768 }],
    });
  });

  test("finds Ollama by its own list", async () => {
    other.answer = (response, { path }) =>
      path === "/api/tags"
        ? response.end(JSON.stringify({ models: [{ name: "llama3.2:3b" }, { name: "nomic-embed-text" }] }))
        : response.writeHead(404).end();
    expect(await probe(us, { base_url: other.origin })).toMatchObject({
      base_url: `${other.origin}/v1`,
      server: "ollama",
      auth: "none",
      models: [
        { id: "llama3.2:3b", model: "own/llama3.2-3b", known: false, type: "chat" },
        { id: "nomic-embed-text", type: "embedding" },
      ],
    });
  });

  test("asks for a credential, and uses it", async () => {
    expect(await probe(us, { base_url: closed.baseUrl })).toMatchObject({ success: false, auth: "bearer" });
    expect(await probe(us, { base_url: closed.baseUrl, key: credential })).toMatchObject({
      success: true,
      auth: "bearer",
    });
  });

  test("of a private address names the setting that allows it, and so does adding it", async () => {
    const base_url = "http://10.1.2.3:8000/v1";
    expect(await probe(us, { base_url })).toMatchObject({
      success: false,
      setting: "ALLOW_PRIVATE_OWN_PROVIDERS",
      message: expect.stringContaining("ALLOW_PRIVATE_OWN_PROVIDERS"),
    });
    const refused = await us.post("/catalogue-entries", ownServer("own-gpu", { base_url }));
    expect((await refusal(refused, 400, "providers.0.base_url")).message).toContain(
      "ALLOW_PRIVATE_OWN_PROVIDERS",
    );
  });

  test("reaches what the operator allowed for the installation's providers for the operator alone", async () => {
    const base_url = "http://127.0.0.2:1/v1";
    expect((await probe(us, { base_url })).setting).toBe("ALLOW_PRIVATE_OWN_PROVIDERS");
    expect(await probe(operator, { base_url })).toMatchObject({
      setting: null,
      message: expect.stringContaining("could not be reached"),
    });
    const own = await us.post("/catalogue-entries", ownServer("own-gpu", { base_url }));
    expect((await refusal(own, 400, "providers.0.base_url")).message).toContain(
      "ALLOW_PRIVATE_OWN_PROVIDERS",
    );
    await add(operator, { scope: "installation", ...ownServer("shared-gpu", { base_url }) });
  });

  test("of a server that answers nothing, too much or something else says so, without its words", async () => {
    const answers: [string, (path: string) => [number, string]][] = [
      ["no models", () => [200, "<html>canary</html>"]],
      ["no models", () => [500, "canary"]],
      ["too long", () => [200, JSON.stringify({ data: [{ id: "canary".repeat(1_000_000) }] })]],
    ];
    for (const [words, answered] of answers) {
      other.answer = (response, { path }) => {
        const [status, body] = answered(path);
        response.writeHead(status, { "content-type": "application/json" }).end(body);
      };
      const found = await probe(us, { base_url: other.origin });
      expect(found).toMatchObject({ success: false, message: expect.stringContaining(words) });
      expect(JSON.stringify(found)).not.toContain("canary");
    }
    const gone = await startUpstream();
    await gone.close();
    expect((await probe(us, { base_url: gone.origin })).message).toContain("could not be reached");
  });
});

describe("invalid input names the field, and nothing is stored", () => {
  test.each<[string, Body, number, string, string]>([
    ["no entry", {}, 400, "providers", "needs an entry"],
    ["a missing name", { providers: [{ name: "x" }] }, 400, "providers.0", "needs slug"],
    ["an unknown field", ownServer("a", { url: "x" }), 400, "providers.0", 'unknown field "url"'],
    ["an unknown kind", ownServer("a", { kind: "harbor" }), 400, "providers.0", "kind:"],
    [
      "a credential in the address",
      ownServer("a", { base_url: "https://me:pw@gpu.example/v1" }),
      400,
      "providers.0.base_url",
      "credentials",
    ],
    [
      "a wrong price",
      ownServer("a", {}, { price: { currency: "EUR", input: 1 } }),
      400,
      "endpoints.0",
      "price.input",
    ],
    ["the same twice", { models: [{ id: "a/b" }, { id: "a/b" }] }, 409, "models.1", "already"],
    [
      "an endpoint of the installation's provider",
      { endpoints: [{ provider: "mistral", model: "sandbox/chat", variant: "x" }] },
      400,
      "endpoints.0",
      "provider of your organisation",
    ],
    [
      "a price of the installation",
      { endpoints: [{ provider: "sandbox-fr", model: "sandbox/chat", price: null }] },
      400,
      "endpoints.0",
      "cannot be changed",
    ],
    [
      "an address of the installation's",
      { providers: [{ slug: "mistral", base_url: vllm.baseUrl }] },
      400,
      "providers.0.slug",
      "choose another",
    ],
  ])("%s", async (_, body, status, param, words) => {
    const before = await services.database.prisma.catalogue_entry.count();
    expect((await refusal(await us.post("/catalogue-entries", body), status, param)).message).toContain(
      words,
    );
    expect(await services.database.prisma.catalogue_entry.count()).toBe(before);
  });

  test("an entry keeps its name, and an update that breaks it is refused", async () => {
    const [provider] = await add(us, ownServer("own-gpu"));
    const path = `/catalogue-entries/${provider?.id}`;
    const renamed = { ...provider?.entry, slug: "other" };
    await refusal(await us.send("PATCH", path, { entry: renamed }), 400, "entry");
    await refusal(await us.send("PATCH", path, { entry: { slug: "own-gpu" } }), 400, "entry");
    await refusal(await us.send("PATCH", `/catalogue-entries/${uuidv7()}`, { enabled: true }), 404, "id");
    expect((await chat(us, "own-gpu/chat")).status).toBe(200);
  });
});
