import { describe, expect, onTestFinished, test, vi } from "vitest";
import { databaseKind } from "#test/test-database.ts";
import { databaseUrl } from "../setup/database-url.ts";
import { startCluster } from "../setup/postgres-cluster.ts";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";

const programs = postgresPrograms();
const patience = { timeout: 20_000, interval: 100 };

describe.skipIf(databaseKind() !== "postgres" || programs === null)("a replica", () => {
  /** A server over a primary with a hot standby that follows it. */
  async function startWithStandby() {
    const primary = await startCluster(programs ?? "");
    onTestFinished(primary.stop);
    const standby = await startCluster(programs ?? "", { standbyOf: primary });
    onTestFinished(standby.stop);
    const server = await startTestServer({
      settings: {
        DATABASE_URL: databaseUrl(primary.server),
        DATABASE_READ_URL: databaseUrl(standby.server),
      },
    });
    const ours = await populateOrganisation(server);
    const isStandby = async () => {
      const rows = await server.services.reports((database) =>
        database.statement<{ yes: boolean }>("select pg_is_in_recovery() as yes", []),
      );
      return rows[0]?.yes;
    };
    return { primary, standby, server, ours, isStandby };
  }

  const reports = [
    "/activity",
    "/activity?from=2026-01-01&to=2026-01-31&group_by=day,model",
    "/activity?from=2026-01-01&to=2026-01-31&group_by=tag_value&tag=end_user",
  ];

  test("is read by reports while it follows, also while the primary hangs, and nothing is lost without it", async () => {
    const { primary, standby, server, ours, isStandby } = await startWithStandby();
    const statuses = () =>
      Promise.all(reports.map(async (path) => (await server.send("GET", path, { key: ours.key })).status));
    await vi.waitFor(async () => expect(await isStandby()).toBe(true), patience);
    expect(await statuses()).toEqual([200, 200, 200]);
    const resume = primary.freeze();
    try {
      expect(await isStandby()).toBe(true);
    } finally {
      resume();
    }
    await standby.crash();
    expect(await isStandby()).toBe(false);
    expect(await statuses()).toEqual([200, 200, 200]);
    await standby.restart();
    await vi.waitFor(async () => expect(await isStandby()).toBe(true), patience);
  });

  test("that hangs does not delay reports beyond the time of a request", async () => {
    const { standby, server, ours, isStandby } = await startWithStandby();
    await vi.waitFor(async () => expect(await isStandby()).toBe(true), patience);
    const resume = standby.freeze();
    onTestFinished(resume);
    const answered = await server.send("GET", "/activity", { key: ours.key });
    expect(answered.status).toBe(200);
  });
});
