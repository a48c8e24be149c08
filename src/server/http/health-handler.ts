import type { ServerResponse } from "node:http";
import type { Services } from "#server/api/services.ts";
import { asInteractive, freshnessOf, MigrationError, pendingMigrations } from "#server/db/index.ts";

interface Check {
  readonly ok: boolean;
  readonly detail?: string;
}

/** Both checks in one round trip; if the database does not answer, its migrations are unknown. */
async function databaseChecks({ database }: Services): Promise<{ database: Check; migrations: Check }> {
  try {
    const pending = await asInteractive("health", () => database.batch(pendingMigrations));
    const migrations =
      pending.length === 0 ? { ok: true } : { ok: false, detail: `${pending.length} to apply` };
    return { database: { ok: true }, migrations };
  } catch (error) {
    if (error instanceof MigrationError) {
      return { database: { ok: true }, migrations: { ok: false, detail: "they belong to another version" } };
    }
    const detail = "the database does not answer";
    return { database: { ok: false, detail }, migrations: { ok: false, detail } };
  }
}

/** `/health/ready`: whether requests should be sent to this process; if not, why. */
async function readiness(services: Services): Promise<{ status: number; body: object }> {
  const { config, draining, version, billing } = services;
  const ageMs = services.snapshotAgeMs();
  const checks: Record<string, Check> = {
    ...(await databaseChecks(services)),
    snapshot: {
      ok: freshnessOf(ageMs, config.CONFIG_MAX_STALENESS) !== "stale",
      detail: `${Math.round(ageMs / 1000)} s old`,
    },
    draining: { ok: !draining() },
  };
  const ready = checks.snapshot?.ok === true && !draining();
  const body = { status: ready ? "ready" : "not_ready", version, checks, spool_pending: billing.pending() };
  return { status: ready ? 200 : 503, body };
}

/** Answers `/health`, `/health/live` and `/health/ready`; returns false for other paths. */
export async function serveHealth(services: Services, path: string, res: ServerResponse): Promise<boolean> {
  if (path !== "/health" && path !== "/health/live" && path !== "/health/ready") return false;
  const { status, body } =
    path === "/health/ready"
      ? await readiness(services)
      : { status: 200, body: { status: "alive", version: services.version } };
  const json = JSON.stringify(body);
  res.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  res.end(json);
  return true;
}
