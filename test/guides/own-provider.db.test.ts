import { expect, test } from "vitest";
import { startOwnUpstream } from "#test/process/own-upstream.ts";
import { startTestServer } from "#test/process/server.ts";
import { startVllm } from "#test/providers/vllm-server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

interface CatalogueFile {
  readonly providers: readonly object[];
  readonly models: readonly { readonly id: string }[];
  readonly endpoints: readonly object[];
}

const guide = readDocument("docs/guides/add-a-provider.md");
const [file = ""] = codeBlocks(guide, "json");
const [probe = "", add = "", ask = "", curl = ""] = codeBlocks(guide, "sh");
const own = await startOwnUpstream();
const { providers, models, endpoints } = JSON.parse(file) as CatalogueFile;
const baseUrl = own.overlay.providers[0]?.base_url;
const { origin, key } = await startTestServer({
  settings: { ...own.settings, ALLOW_PRIVATE_OWN_PROVIDERS: "127.0.0.1" },
  overlay: {
    models,
    providers: providers.map((provider) => ({ ...provider, base_url: baseUrl })),
    // The test's provider answers to the model `chat`.
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, upstream_model: "chat" })),
  },
});

test("docs/guides/add-a-provider.md: the request is answered by the provider of the catalogue file", async () => {
  const answer = await runCurl(curl, origin, { PORTOLAN_API_KEY: key });
  expect([answer.status, answer.headers.get("x-provider-slug")]).toEqual([200, "my-vllm"]);
  expect(await answer.json()).toMatchObject({ model: models[0]?.id, usage: { cost: 0 } });
});

test("docs/guides/add-a-provider.md: a server is probed, added and asked while Portolan runs", async () => {
  const vllm = await startVllm();
  const variables = { PORTOLAN_API_KEY: key };
  const run = (command: string) =>
    runCurl(command.replaceAll("http://gpu-1.internal:8000", vllm.origin), origin, variables);
  try {
    expect(await (await run(probe)).json()).toMatchObject({ data: { success: true, server: "vllm" } });
    expect((await run(add)).status).toBe(201);
    const answer = await run(ask);
    expect([answer.status, answer.headers.get("x-provider-slug")]).toEqual([200, "our-gpu"]);
  } finally {
    await vllm.close();
  }
});
