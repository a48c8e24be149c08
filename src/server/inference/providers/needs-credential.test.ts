import { afterEach, describe, expect, test, vi } from "vitest";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { failing, request } from "#test/dialects/conversations.ts";
import { upstreamOfFile } from "#test/dialects/file-upstream.ts";
import { sending } from "#test/sending.ts";
import { nativeChat } from "../wires/openai-chat/wire.ts";
import { providerKinds } from "./registry.ts";

const { upstream, exchange, open } = await upstreamOfFile();
const packaged = [...providerKinds.values()].filter(({ needsCredential }) => needsCredential);

test("the kinds that use a package need a credential", () => {
  expect(packaged.map(({ kind }) => kind)).toEqual(["anthropic", "azure", "bedrock", "google", "mistral"]);
});

test.each(packaged)("$kind cannot be called without a credential", ({ kind, upstream: open }) => {
  const at = endpoint(provider("theirs", { kind, baseUrl: upstream.origin }), model("m/x"));
  expect(open(at, "chat", "key")).not.toBeNull();
  for (const credential of [undefined, "", " "]) expect(open(at, "chat", credential)).toBeNull();
});

describe("Bedrock uses nothing of the server's environment", () => {
  afterEach(() => vi.unstubAllEnvs());
  const ask = (credential: string) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "SERVERKEY");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "server-secret");
    vi.stubEnv("AWS_SESSION_TOKEN", "server-token");
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "server-bearer");
    const { way, at } = open({ kind: "bedrock", basePath: "", credential }, "chat");
    return failing(way.complete(exchange(nativeChat.encode(request(), at, sending(64, false)))));
  };

  test.each([":", "id:", ":secret"])("with half a credential, %j: nothing is sent", async (credential) => {
    expect((await ask(credential)).failure.outcome).toBe("credential");
    expect(upstream.received).toEqual([]);
  });

  test("with a key and its secret, which sign the request", async () => {
    upstream.answer = (response) => response.writeHead(403).end("{}");
    await ask("OWNKEY:own-secret");
    const [asked] = upstream.received;
    expect(asked?.headers.authorization).toContain("Credential=OWNKEY/");
    expect(JSON.stringify(asked?.headers)).not.toMatch(/server-|SERVERKEY/);
  });
});
