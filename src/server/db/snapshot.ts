import type { PrismaClient } from "#generated/prisma/client.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Database } from "./client.ts";
import { asInteractive, inBackground, waitFor } from "./waiting.ts";

export interface Snapshot<T> {
  /** The newest completely loaded value, never a mix of two. */
  value(): T;
  /** Milliseconds since the value was last known to be current. */
  ageMs(): number;
  /** Loads everything that was committed before the call. Waiting calls share one load. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Holds an immutable value loaded from the database and reloads it when `config_version` changes. While the database
 * is unavailable it holds the last value, and `ageMs` is its age.
 */
export async function openSnapshot<T>(
  database: Database,
  load: (prisma: PrismaClient) => Promise<T>,
  log: Log,
): Promise<Snapshot<T>> {
  /** Runs each second, so it also detects that the database answers again. */
  const readVersion = () =>
    asInteractive(
      "configuration",
      async () => (await database.prisma.config_version.findUnique({ where: { id: 1 } }))?.version ?? 0n,
      { probes: true },
    );

  let version = await readVersion();
  let value = await load(database.prisma);
  let currentAtMs = clock.monotonicMs();
  let looking: Promise<void> | undefined;
  let failing = false;

  async function look(): Promise<void> {
    const startedMs = clock.monotonicMs();
    const newest = await readVersion();
    if (newest !== version) {
      value = await load(database.prisma);
      version = newest;
    }
    currentAtMs = startedMs;
    if (failing) log.info({ event: "snapshot" }, "Configuration can be read again");
    failing = false;
  }

  const begin = (): Promise<void> => {
    looking = look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  let next: Promise<void> | undefined;
  /** A running load may have read the version before the caller's commit, so the caller needs another one. */
  const refresh = (): Promise<void> => {
    if (!looking && !next) return begin();
    next ??= (looking ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };

  const timer = setInterval(() => {
    if (looking || next) return;
    begin().catch((error: unknown) => {
      if (!failing)
        log.warn({ event: "snapshot", error }, "Configuration cannot be read; the last known one serves on");
      failing = true;
    });
  }, limits.snapshot.pollEveryMs);
  timer.unref();

  return {
    value: () => value,
    ageMs: () => clock.monotonicMs() - currentAtMs,
    // The caller that starts a load is not the only one that waits for it.
    refresh: () => waitFor(inBackground(refresh)),
    async close() {
      clearInterval(timer);
      await (next ?? looking)?.catch(() => {});
    },
  };
}

/** `current`: recently confirmed. `old`: the database is unavailable. `stale`: for longer than `CONFIG_MAX_STALENESS`. */
export type Freshness = "current" | "old" | "stale";

/** Whether a snapshot of this age may be used. */
export function freshnessOf(ageMs: number, maxStalenessSeconds: number): Freshness {
  const oldMs = ageMs - limits.snapshot.presentMs;
  if (oldMs <= 0) return "current";
  return oldMs <= maxStalenessSeconds * 1000 ? "old" : "stale";
}
