import type { ServerResponse } from "node:http";
import type { Services } from "#server/api/services.ts";

interface Check {
  readonly ok: boolean;
  readonly detail?: string;
}

async function databaseCheck({ database }: Services): Promise<Check> {
  try {
    await database.prisma.$queryRaw`select 1`;
    return { ok: true };
  } catch {
    return { ok: false, detail: "the database does not answer" };
  }
}

/** `/health/ready`: whether new requests should be sent here, with what is wrong when not. */
async function readiness(services: Services): Promise<{ status: number; body: object }> {
  const { config, draining, version, billing } = services;
  const ageMs = services.snapshotAgeMs();
  const checks: Record<string, Check> = {
    database: await databaseCheck(services),
    // The process starts only after migrations were applied.
    migrations: { ok: true },
    snapshot: { ok: ageMs <= config.STALE_MAX * 1000, detail: `${Math.round(ageMs / 1000)} s old` },
    draining: { ok: !draining() },
  };
  const ready = checks.snapshot?.ok === true && !draining();
  const body = { status: ready ? "ready" : "not_ready", version, checks, spool_pending: billing.pending };
  return { status: ready ? 200 : 503, body };
}

/** Answers `/health`, `/health/live` and `/health/ready`; false when the path is none of them. */
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
