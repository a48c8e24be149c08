import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { CatalogueOverlay } from "#contract/catalogue.ts";
import { mintKey } from "#server/keys/index.ts";
import { answers, freePort, type Running, start } from "./child.ts";

const repository = fileURLToPath(new URL("../", import.meta.url));

/** A model with one endpoint, and one with twelve, of which six are in the EU. */
export const benchModels = { one: "bench/echo", twelve: "bench/twelve" } as const;

const overlay = (origin: string): z.input<typeof CatalogueOverlay> => {
  const limits = { context_length: 32_768, max_output_tokens: 4_096 };
  // Small enough that no run uses up the starting credit, and not zero, so that every request is priced.
  const price = { currency: "EUR", input: "0.001", output: "0.002" } as const;
  const provider = (slug: string, country: "FR" | "US") => ({
    ...{ slug, name: slug, base_url: `${origin}/v1`, auth: "none" as const },
    ...{ headquarters: country, region: country, datacenters: [country], storage_countries: [country] },
  });
  const twelve = Array.from({ length: 12 }, (_, at) => provider(`bench-${at}`, at % 2 === 0 ? "FR" : "US"));
  const apis: "completions"[] = ["completions"];
  return {
    schema: "portolan-catalogue/1",
    providers: [provider("bench", "FR"), ...twelve],
    models: Object.values(benchModels).map((id) => ({ id, ...limits })),
    endpoints: [
      { provider: "bench", model: benchModels.one, apis, price },
      ...twelve.map(({ slug }) => ({ provider: slug, model: benchModels.twelve, apis, price })),
    ],
  };
};

/**
 * The gateway of a checkout (by default this one), as `npm start` runs it, on a data directory of its own that is
 * empty at the first start. `remove` deletes it.
 */
export async function prepareGateway(echo: string, databaseUrl?: string, checkout = repository) {
  const folder = mkdtempSync(join(tmpdir(), "portolan-bench-"));
  const catalogueFile = join(folder, "catalogue.json");
  writeFileSync(catalogueFile, JSON.stringify(overlay(echo)));
  const [port, key] = [await freePort(), mintKey("ptl")];
  // Earlier versions have no bundle.
  const program = existsSync(join(checkout, ".server")) ? ".server/main.mjs" : "src/server/main.ts";
  const origin = `http://127.0.0.1:${port}`;
  const { serverFlags, serverEnvironment = {} } = await import(
    join(checkout, "scripts/setup/server-flags.mjs")
  );
  const options = {
    cwd: checkout,
    env: {
      ...serverEnvironment,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: join(folder, "data"),
      CATALOG_FILE: catalogueFile,
      ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
      ADMIN_API_KEY: key,
      RATE_LIMIT_KEY: "1000000",
      RATE_LIMIT_ORGANISATION: "1000000",
      ...(databaseUrl
        ? { DATABASE_URL: databaseUrl, ENCRYPTION_KEY: randomBytes(32).toString("base64") }
        : { DATABASE_URL: "" }),
    },
  };
  return {
    dataDirectory: join(folder, "data"),
    origin,
    url: `${origin}/api/v1/completions`,
    headers: { authorization: `Bearer ${key}` },
    /** Starts it, and resolves when it is ready. */
    start: async (): Promise<Running> => {
      const running = await start(process.execPath, [...serverFlags, program], options);
      await answers(`${origin}/health/ready`);
      return running;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A prepared gateway that runs; `stop` removes it as well. */
export async function startGateway(echo: string, databaseUrl?: string, checkout?: string) {
  const { start: begin, remove, ...gateway } = await prepareGateway(echo, databaseUrl, checkout);
  const running = await begin();
  return { ...gateway, pid: running.pid, stop: () => running.stop().finally(remove) };
}
