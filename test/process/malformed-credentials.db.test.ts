import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ProviderCredential } from "#contract/byok.ts";
import { data } from "#contract/common.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  settings: { RATE_LIMIT_TEST: "0" },
  overlay: {
    providers: [
      { slug: "closed", name: "Closed", base_url: "https://closed.example/v1", byok_supported: false },
    ],
  },
});

const { post, send, services } = server;
const One = data(ProviderCredential);

/** One provider for each way of authentication. */
const providers = [
  ...new Map(
    [...services.catalogues.of(null).providers.values()]
      .filter(({ byokSupported }) => byokSupported)
      .map((provider) => [provider.auth, provider.slug]),
  ),
];

const everywhere = [
  "",
  "short",
  "two words",
  "line\nbreak",
  "tab\tstop",
  "schlüssel",
  "鍵鍵鍵鍵鍵鍵鍵鍵",
  "x".repeat(4097),
];

const ofAuth: Readonly<Record<string, readonly string[]>> = {
  sigv4: ["AKIA12345678:", ":secret-secret", "AKIA12345678::token", "AKIA12345678:secret:", "a:b:c:d:e:f:g"],
};

describe.each(providers)(
  "a malformed credential of a provider with %s authentication (%s)",
  (auth, provider) => {
    test("is refused by the name of its field, and the stored credential stays", async () => {
      const good = { provider, name: "Good", key: "good-credential-1234", disabled: true };
      const { id } = (await answer(One, await post("/byok", good), 201)).data;
      for (const key of [...everywhere, ...(ofAuth[auth] ?? [])]) {
        await refusal(await post("/byok", { provider, name: "Malformed", key }), 400, "key");
        await refusal(await post("/byok/check", { provider, key }), 400, "key");
        await refusal(await send("PATCH", `/byok/${id}`, { body: JSON.stringify({ key }) }), 400, "key");
      }
      expect((await answer(One, await send("GET", `/byok/${id}`))).data.last_four).toBe("1234");
      const List = z.object({ data: z.array(ProviderCredential) });
      const list = await answer(List, await send("GET", `/byok?provider=${provider}`));
      expect(list.data.map(({ name }) => name)).toEqual(["Good"]);
    });
  },
);

test("every way of authentication is tested", () => {
  expect(providers.map(([auth]) => auth)).toEqual(expect.arrayContaining(["bearer", "sigv4", "x-api-key"]));
});

test.each([
  [{ provider: "nobody", key: "sk-own-0123456789", name: "x" }, "provider"],
  [{ provider: "closed", key: "sk-own-0123456789", name: "x" }, "provider"],
  [{ provider: "mistral", key: "short", name: "x" }, "key"],
  [
    { provider: "mistral", key: "sk-own-0123456789", name: "x", allowed_models: ["no/model"] },
    "allowed_models",
  ],
  [{ provider: "mistral", key: "sk-own-0123456789", name: "x", base_url: "http://10.0.0.1" }, "base_url"],
])("%o is refused, naming %s", async (body, param) => {
  const response = await post("/byok", body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

test("the keys that a credential is limited to must exist", async () => {
  const allowed_api_key_hashes = ["A".repeat(12)];
  const response = await post("/byok", {
    provider: "mistral",
    key: "sk-own-0123456789",
    name: "x",
    allowed_api_key_hashes,
  });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { param: "allowed_api_key_hashes" } });
});
