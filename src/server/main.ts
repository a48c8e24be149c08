import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import { MigrationError } from "#server/db/index.ts";
import { demandFreePort } from "#server/http/port.ts";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { createLog } from "#server/platform/log.ts";
import { beginConnecting } from "./connect.ts";
import { supervise, tellServing } from "./supervise.ts";

/** A refusal a person can act on is printed as it is; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof MigrationError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Resolves with the first signal to end, which may come while the process starts: by then it may have borrowed
 * credit that has to go back. A second signal ends it at once.
 */
function askedToEnd(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let asked = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      resolve(signal);
    });
  }
  return promise;
}

try {
  const config = loadConfig();
  const log = createLog(config.LOG_LEVEL);
  // The supervisor of several processes serves nothing and loads little.
  if (config.WORKERS > 1 && cluster.isPrimary) {
    await demandFreePort(config);
    process.exit(await supervise(config.WORKERS, log));
  }
  const ended = askedToEnd();
  // The embedded database starts on a thread of its own while all the rest is loaded.
  const connecting = beginConnecting(config);
  const { start } = await import("./start.ts");
  const { stop } = await start(config, log, (text) => process.stdout.write(text), connecting);
  // Node writes what it compiled at a clean end only; the start after a crash is the one that has to be quick.
  flushCompileCache();
  tellServing();
  const signal = await ended;
  const clean = await stop({ graceful: signal === "SIGTERM" }).catch(() => false);
  process.exit(clean ? 0 : 1);
} catch (error) {
  process.stderr.write(`\nPortolan did not start.\n${explain(error)}\n\n`);
  process.exit(1);
}
