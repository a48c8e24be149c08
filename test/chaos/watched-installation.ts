import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { directoryOfFile } from "#test/directories.ts";
import { startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { startGateway, startOracle } from "./gateway-process.ts";
import { freePort, type Gateway } from "./installation.ts";

const email = "ada@example.eu";
const password = "correct horse battery";

/** What a message of Anthropic's API answers, whatever it was asked. */
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};

/** A provider that does not read what it is asked, so that it takes no time of who measures. */
async function startHollow(): Promise<string> {
  const server = createServer((req, res) => {
    req.resume().on("end", () => {
      res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const price = { currency: "EUR", input: "0.0001", output: "0.0001" };
const endpoint = (provider: string, model: string, upstream_model: string, apis: readonly string[]) => ({
  provider,
  model,
  upstream_model,
  apis,
  price,
});

/** What every rule that a body creates requires. */
const facts = {
  headquarters: "FR",
  eu_owned: true,
  region: "FR",
  datacenters: ["FR"],
  training: false,
  retention_days: 0,
};

const overlay = (oracle: string, hollow: string) => ({
  schema: "portolan-catalogue/1",
  providers: [
    { slug: "oracle", name: "Oracle", base_url: `${oracle}/fr/v1`, auth: "none", ...facts },
    { slug: "hollow", name: "Hollow", base_url: `${hollow}/v1`, kind: "anthropic", apis: ["chat"] },
  ],
  models: [
    { id: "test/chat" },
    { id: "test/package" },
    { id: "test/embedding", type: "embedding" },
    { id: "test/rerank", type: "rerank" },
  ],
  endpoints: [
    endpoint("oracle", "test/chat", "sandbox/chat", ["completions", "chat"]),
    endpoint("hollow", "test/package", "claude", ["chat"]),
    endpoint("oracle", "test/embedding", "sandbox/embed", ["embeddings"]),
    endpoint("oracle", "test/rerank", "sandbox/rerank", ["rerank"]),
  ],
});

export interface WatchedInstallation {
  readonly gateway: Gateway;
  /** Headers that let in a program, somebody signed in, and nobody. */
  readonly credentials: Record<"key" | "session" | "nobody", Record<string, string>>;
}

/** A server whose event loop and memory are watched, its database and its providers in processes of their own. */
export async function startWatched(): Promise<WatchedInstallation> {
  const directory = directoryOfFile();
  const oracle = await startOracle();
  afterAll(() => oracle.end("SIGKILL"));
  const catalogFile = join(directory, "overlay.json");
  writeFileSync(catalogFile, JSON.stringify(overlay(oracle.origin, await startHollow())));
  const programs = postgresPrograms();
  const cluster = programs === null ? null : await startCluster(programs);
  if (cluster) afterAll(() => cluster.stop());
  const host = encodeURIComponent(String(cluster?.server.host));
  const key = mintKey("ptl");
  const gateway = await startGateway(
    await freePort(),
    {
      DATA_DIR: join(directory, "data"),
      ...(cluster && { DATABASE_URL: `postgresql://postgres@localhost/postgres?host=${host}` }),
      CATALOG_FILE: catalogFile,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      SANDBOX: "false",
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      HOLLOW_API_KEY: "secret",
      ADMIN_API_KEY: key,
      ADMIN_EMAIL: email,
      ADMIN_PASSWORD: password,
      TRUSTED_PROXIES: "127.0.0.1",
      RATE_LIMIT_KEY: "1000000",
      RATE_LIMIT_ORGANISATION: "0",
      RATE_LIMIT_AUTH: "0",
      RATE_LIMIT_PUBLIC: "0",
      RATE_LIMIT_TEST: "0",
    },
    { watched: true },
  );
  afterAll(() => gateway.end("SIGKILL"));
  const signedIn = await fetch(`${gateway.origin}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: gateway.origin },
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return {
    gateway,
    credentials: { key: { authorization: `Bearer ${key}` }, session: { cookie }, nobody: {} },
  };
}
