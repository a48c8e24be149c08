import { afterAll, beforeEach } from "vitest";
import { z } from "zod";
import { CatalogueEntry } from "#contract/catalogue-entry.ts";
import { data } from "#contract/common.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { startVllm } from "#test/providers/vllm-server.ts";
import { newOrganisation } from "./people.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

export type Body = Record<string, unknown>;
export const Entries = z.object({ data: z.array(CatalogueEntry) });

/** A server with two organisations and no entries, and servers of models that can be added to it. */
export async function startWithOwnServers() {
  const [vllm, closed, other] = [
    await startVllm(),
    await startVllm({ isOpen: false }),
    await startUpstream(),
  ];
  // Only these addresses, so that the guard refuses others; one of them only to the operator.
  const allowed = { ALLOW_PRIVATE_HOSTS: "127.0.0.1,127.0.0.2", ALLOW_PRIVATE_OWN_PROVIDERS: "127.0.0.1" };
  const server = await startTestServer({
    settings: { ...allowed, OURS_API_KEY: "installation-secret" },
  });
  afterAll(() => Promise.all([vllm.close(), closed.close(), other.close()]));
  const { services } = server;
  const [ours, theirs] = [await newOrganisation(server), await newOrganisation(server)];

  const as = (key?: string) => ({
    post: (path: string, body: Body) => server.post(path, body, key === undefined ? {} : { key }),
    send: (method: string, path: string, body?: Body) =>
      server.send(method, path, {
        ...(key !== undefined && { key }),
        ...(body && { body: JSON.stringify(body) }),
      }),
  });
  const us = as(ours.key);
  type Client = typeof us;

  /** What the console sends for a server with one model. */
  const ownServer = (slug: string, rest: Body = {}, endpoint: Body = {}) => ({
    source: "Operations manual",
    as_of: "2026-11-20",
    providers: [
      {
        ...{ slug, name: slug, base_url: vllm.baseUrl, auth: "none", dialect: "vllm", free: true },
        ...{ datacenters: ["DE"], eu_owned: true, training: false, retention_days: 0, ...rest },
      },
    ],
    models: [{ id: `${slug}/chat`, context_length: 32_768 }],
    endpoints: [{ provider: slug, model: `${slug}/chat`, upstream_model: "Qwen/Qwen3-32B", ...endpoint }],
  });
  const add = async (to: Client, body: Body) =>
    (await answer(Entries, await to.post("/catalogue-entries", body), 201)).data;
  const change = async (to: Client, id: string, body: Body) =>
    (await answer(data(CatalogueEntry), await to.send("PATCH", `/catalogue-entries/${id}`, body))).data;
  const chat = (to: Client, model: string) =>
    to.post("/chat/completions", { model, messages: [{ role: "user", content: "Hello." }], max_tokens: 8 });
  const textOf = async (to: Client, path: string): Promise<string> => (await to.send("GET", path)).text();

  beforeEach(async () => {
    await services.database.prisma.catalogue_entry.deleteMany();
    await services.database.prisma.$executeRaw`update config_version set version = version + 1`;
    await services.refreshSnapshot();
  });
  const made = { server, services, ours, us, them: as(theirs.key), operator: as() };
  return { ...made, servers: { vllm, closed, other }, ownServer, add, change, chat, textOf };
}
