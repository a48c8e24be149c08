import cluster from "node:cluster";
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { MigrationError } from "#server/db/index.ts";
import { assertPortFree } from "#server/http/port.ts";
import { type Config, loadConfig, SettingsError } from "#server/platform/env.ts";
import { createLog, type Log } from "#server/platform/log.ts";
import { returnMemory, returnMemoryWhenIdle } from "#server/platform/return-memory.ts";
import { beginConnecting, hasEmbeddedDatabase } from "./composition/connect.ts";
import { supervise, tellServing } from "./supervise.ts";

/** A refusal a person can act on is printed as it is; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof MigrationError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Is aborted by the first signal to end, which may come while the process starts: by then it may have borrowed
 * credit that has to go back. A second signal ends it at once.
 */
function askedToEnd(): AbortSignal {
  const asked = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (asked.signal.aborted) process.exit(1);
      asked.abort(name);
    });
  }
  return asked.signal;
}

/** Serves until it is asked to end. Resolves with the exit code. */
async function serve(config: Config, log: Log): Promise<number> {
  const asked = askedToEnd();
  // One that exists starts on a thread of its own while all the rest is loaded; one that does not is made later,
  // when nothing can be wrong with the settings any more.
  const connecting = hasEmbeddedDatabase(config) ? beginConnecting(config) : undefined;
  const { start } = await import("./start.ts");
  const say = (text: string) => void process.stdout.write(text);
  const running = await start(config, log, say, { connecting, signal: asked, loaded: returnMemory }).catch(
    (error: unknown) => {
      // Asked to end before it served, it has closed what it had opened.
      if (asked.aborted && error === asked.reason) return null;
      throw error;
    },
  );
  if (!running) return 0;
  // Node writes what it compiled at a clean end only; the start after a crash is the one that has to be quick.
  flushCompileCache();
  returnMemoryWhenIdle();
  tellServing();
  if (!asked.aborted) await once(asked, "abort");
  const clean = await running.stop({ graceful: asked.reason === "SIGTERM" }).catch(() => false);
  return clean ? 0 : 1;
}

try {
  const config = loadConfig();
  const log = createLog(config.LOG_LEVEL);
  if (cluster.isPrimary) for (const warning of config.warnings) log.warn({ event: "settings" }, warning);
  // The supervisor of several processes serves nothing and loads little.
  const several = config.WORKERS > 1 && cluster.isPrimary;
  if (several) await assertPortFree(config);
  process.exit(await (several ? supervise(config.WORKERS, log) : serve(config, log)));
} catch (error) {
  process.stderr.write(`\nPortolan did not start.\n${explain(error)}\n\n`);
  process.exit(1);
}
