import { MigrationError } from "#server/db/index.ts";
import { loadConfig, SettingsError } from "#server/platform/env.ts";
import { createLog } from "#server/platform/log.ts";
import { start } from "#server/start.ts";

/** A refusal a person can act on is printed as it is; anything else with its stack. */
function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof MigrationError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  const config = loadConfig();
  const log = createLog(config.LOG_LEVEL);
  const { stop } = await start(config, log, (text) => process.stdout.write(text));
  let asked = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1);
      asked = true;
      stop({ graceful: signal === "SIGTERM" }).then(
        (clean) => process.exit(clean ? 0 : 1),
        () => process.exit(1),
      );
    });
  }
} catch (error) {
  process.stderr.write(`\nPortolan did not start.\n${explain(error)}\n\n`);
  process.exit(1);
}
