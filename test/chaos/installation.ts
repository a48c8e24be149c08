import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { testSeal } from "#test/seal.ts";
import type { Cluster } from "../setup/postgres-cluster.ts";
import { startGateway } from "./gateway-process.ts";

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}

/** On the oracle: a chatting model at which every token counts, and one at which every request costs 0.01 EUR. */
export const chaosOverlay = (origin: string) => ({
  schema: "portolan-catalogue/1",
  providers: [{ slug: "chaos", name: "Chaos", base_url: `${origin}/fr/v1`, auth: "none" }],
  models: [{ id: "chaos/chat" }, { id: "chaos/flat" }],
  endpoints: [
    {
      provider: "chaos",
      model: "chaos/chat",
      // Slow enough that every kill meets requests under way.
      upstream_model: "sandbox/chat!slow:10",
      apis: ["completions", "chat"],
      price: { currency: "EUR", input: "0.4", output: "1.2" },
    },
    {
      provider: "chaos",
      model: "chaos/flat",
      upstream_model: "sandbox/chat",
      apis: ["completions", "chat"],
      price: { currency: "EUR", per_request: "0.01" },
    },
  ],
});

/** Settings of a gateway that reaches the oracle only, with this administrator's key and without limits of requests. */
export const chaosSettings = (key: string, catalogFile: string) => ({
  CATALOG_FILE: catalogFile,
  SANDBOX: "false",
  ALLOW_PRIVATE_HOSTS: "127.0.0.1",
  ADMIN_API_KEY: key,
  RATE_LIMIT_KEY: "1000000",
  RATE_LIMIT_ORGANISATION: "0",
});

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

let databases = 0;

/** A new, empty database of a cluster and what starts gateways on it, each with a folder of its own. */
export async function createInstallation({ server }: Cluster, settings: Record<string, string>) {
  const name = `chaos_${databases++}`;
  const maintenance = openDatabase(server, createMetrics(), silentLog);
  await maintenance.prisma.$executeRawUnsafe(`create database ${name}`);
  await maintenance.close();
  const dataDir = mkdtempSync(join(tmpdir(), "portolan-chaos-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  let started = 0;
  return {
    start: async (more: Record<string, string> = {}): Promise<Gateway> =>
      startGateway(await freePort(), {
        DATABASE_URL: `postgresql://postgres@localhost/${name}?host=${encodeURIComponent(String(server.host))}`,
        DATA_DIR: join(dataDir, String(started++)),
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
        ...settings,
        ...more,
      }),
    open: (): Database => openDatabase({ ...server, database: name }, createMetrics(), silentLog, testSeal),
  };
}
