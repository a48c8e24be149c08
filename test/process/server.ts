import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll } from "vitest";
import type { RecordedDecision } from "#contract/generation.ts";
import { readDecision } from "#server/activity/recorded-decision.ts";
import { type AttemptRecord, attemptsOf, type GenerationRow } from "#server/db/index.ts";
import { mintKey } from "#server/keys/index.ts";
import { loadConfig } from "#server/platform/env.ts";
import { type Log, silentLog } from "#server/platform/log.ts";
import { type Running, start } from "#server/start.ts";
import { directoryOfFile } from "#test/directories.ts";
import { createTestDatabase } from "#test/test-database.ts";

export interface TestServer extends Running {
  readonly key: string;
  /** Starts another server on the same database, as another process would; it stops after the last test. */
  startSecond(): Promise<Running>;
  /** A client of the official package, as users have it, without retries of its own. */
  readonly client: OpenAI;
  /** Sends a request to a path under `/api/v1`, by default with the key and as JSON. */
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
  post(path: string, body: unknown, options?: SendOptions): Promise<Response>;
  /** The record of a generation, once everything finished so far is in the database. */
  record(generationId: string | null): Promise<StoredGeneration>;
}

export interface SendOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly key?: string | null;
  readonly signal?: AbortSignal;
}

export type StoredGeneration = Omit<GenerationRow, "cost_pico_eur" | "cost_pico_usd" | "attempts"> & {
  readonly cost_pico_eur: bigint;
  readonly attempts: readonly AttemptRecord[];
  readonly decision: RecordedDecision;
};

interface TestServerOptions {
  /** Laid over the shipped catalogue, as `CATALOG_FILE` is. */
  readonly overlay?: object;
  readonly settings?: Record<string, string>;
  /** Gets what a person at the terminal would read. */
  readonly say?: (text: string) => void;
  readonly log?: Log;
}

/**
 * Starts the whole server in this process, but for the console's pages, on a database of its own. Call at the
 * top of a test file; it is stopped after the last test.
 */
export async function startTestServer({
  overlay,
  settings,
  say = () => {},
  log = silentLog,
}: TestServerOptions = {}): Promise<TestServer> {
  const directory = directoryOfFile();
  const made = await createTestDatabase();
  const key = mintKey("ptl");
  const catalogueFile = join(directory, "overlay.json");
  if (overlay) writeFileSync(catalogueFile, JSON.stringify({ schema: "portolan-catalogue/1", ...overlay }));
  const environment = {
    NODE_ENV: "test",
    PORT: "0",
    DATA_DIR: directory,
    DATABASE_URL: made.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    ADMIN_API_KEY: key,
    EXCHANGE_RATES_URL: "off",
    // Tests ask more often than people; what tests the limits sets its own.
    RATE_LIMIT_KEY: "1000000",
    RATE_LIMIT_ORGANISATION: "0",
    RATE_LIMIT_AUTH: "0",
    RATE_LIMIT_PUBLIC: "0",
    RATE_LIMIT_TEST: "0",
    ...(overlay && { CATALOG_FILE: catalogueFile }),
    ...settings,
  };
  const running = await start(loadConfig(environment), log, say);
  const others: Running[] = [];
  afterAll(async () => {
    await Promise.all([running, ...others].map((one) => one.stop()));
    await made.close();
  });

  const send: TestServer["send"] = (method, path, { headers, body, key: own = key, signal } = {}) =>
    fetch(`${running.origin}/api/v1${path}`, {
      method,
      body,
      signal,
      redirect: "manual",
      headers: {
        ...(own !== null && { authorization: `Bearer ${own}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
    });

  return {
    ...running,
    key,
    async startSecond() {
      const other = await start(loadConfig({ ...environment, DATA_DIR: directoryOfFile() }), log, say);
      others.push(other);
      return other;
    },
    client: new OpenAI({ baseURL: `${running.origin}/api/v1`, apiKey: key, maxRetries: 0 }),
    send,
    post: (path, body, options) => send("POST", path, { ...options, body: JSON.stringify(body) }),
    async record(generationId) {
      await running.services.billing.drain();
      const row = await running.services.database.prisma.generation.findUniqueOrThrow({
        where: { id: generationId ?? "" },
      });
      return {
        ...row,
        cost_pico_eur: BigInt(row.cost_pico_eur.toFixed(0)),
        attempts: attemptsOf(row as unknown as GenerationRow),
        decision: await readDecision(running.services.database.prisma, row),
      } as unknown as StoredGeneration;
    },
  };
}

/** The `data` of every event of a stream, `[DONE]` included. */
export async function eventsOf(response: Response): Promise<string[]> {
  return (await response.text())
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length));
}
