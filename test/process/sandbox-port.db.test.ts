import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { startTestServer } from "./server.ts";

/** Something else that listens on this machine, and is nobody's provider. */
const seen: string[] = [];
const neighbour = createServer((req, res) => {
  seen.push(req.url ?? "");
  res.end("{}");
});
await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve));
const { port } = neighbour.address() as AddressInfo;
afterAll(() => neighbour.close());

const overlay = {
  providers: [{ slug: "near", name: "Near", base_url: `http://127.0.0.1:${port}/v1`, auth: "none" }],
  models: [{ id: "near/chat" }],
  endpoints: [
    {
      provider: "near",
      model: "near/chat",
      upstream_model: "x",
      price: { currency: "EUR", input: "1", output: "1" },
    },
  ],
};

const settings = [
  { name: "the sandbox", SANDBOX: "true", reaches: false },
  { name: "no sandbox", SANDBOX: "false", reaches: false },
  {
    name: "another port allowed",
    SANDBOX: "true",
    ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port + 1}`,
    reaches: false,
  },
  { name: "its port allowed", SANDBOX: "true", ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port}`, reaches: true },
  { name: "its address allowed", SANDBOX: "false", ALLOW_PRIVATE_HOSTS: "127.0.0.1", reaches: true },
];
const servers = [];
for (const { name, reaches, ...set } of settings)
  servers.push({
    name,
    reaches,
    sandbox: set.SANDBOX === "true",
    server: await startTestServer({ overlay, settings: set as Record<string, string> }),
  });

describe.each(servers)("with $name", ({ server, reaches, sandbox }) => {
  const ask = (model: string) => server.post("/completions", { model, prompt: "Hi", max_tokens: 4 });

  test(`a provider on another port of this machine is ${reaches ? "" : "not "}reached`, async () => {
    const before = seen.length;
    const response = await ask("near/chat");
    expect(response.status).toBe(502);
    expect(seen.length > before).toBe(reaches);
    const text = await response.text();
    if (!reaches) expect(text).toContain("ALLOW_PRIVATE_HOSTS");
  });

  if (sandbox)
    test("the sandbox serves", async () => {
      expect((await ask("sandbox/chat")).status).toBe(200);
    });
});
