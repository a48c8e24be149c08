import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { exportAudit } from "#server/audit/export/export-audit.ts";
import type { ExportedEntry } from "#server/audit/export/formats.ts";
import { type AuditTarget, readAuditTarget } from "#server/audit/export/target.ts";
import { recordAll } from "#server/audit/record.ts";
import { silentLog } from "#server/platform/log.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { createOrganisation, openTestDatabase, type TestOrganisation } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { startTestServer } from "./server.ts";

const { database } = await openTestDatabase();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]), { setting: "ALLOW_PRIVATE_DESTINATIONS" });
afterAll(() => outbound.close());

interface Received {
  readonly type: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface Receiver {
  /** Answers with the next of these, and then with 200. */
  readonly statuses?: number[];
  /** It takes no longer bodies. */
  readonly bytesMax?: number;
}

/** A receiver over http. */
async function receiver({ statuses = [], bytesMax = Number.POSITIVE_INFINITY }: Receiver = {}) {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { "content-type": type = "", authorization } = request.headers;
      const body = Buffer.concat(parts);
      const status = body.length > bytesMax ? 413 : (statuses.shift() ?? 200);
      if (status === 200) received.push({ type, authorization, body: body.toString() });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { origin: `127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const targetOf = (text: string): AuditTarget => {
  const target = readAuditTarget(text);
  if (!target) throw new Error(`No receiver: ${text}`);
  return target;
};

const warnings: string[] = [];
const log = { ...silentLog, warn: (_: unknown, text: string) => void warnings.push(text) };
const run = (target: AuditTarget, token: string | null = null) =>
  exportAudit({ database, auditExport: { target, token, outbound }, log });

const write = ({ caller }: TestOrganisation, count: number) =>
  database.transaction((tx) =>
    recordAll(
      tx,
      caller,
      Array.from({ length: count }, (_, at) => ({
        action: "test.write",
        subject: { type: "test", id: `${at}` },
        after: { text: "Ä\nline" },
      })),
    ),
  );

const entriesIn = (received: readonly Received[]) =>
  received.flatMap(({ body }) =>
    body
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ExportedEntry),
  );

describe("the audit log of every organisation", () => {
  test("is sent completely and in order, in several requests, and later only what is new", async () => {
    const [one, other] = [await createOrganisation(database), await createOrganisation(database)];
    await write(one, 1_200);
    const { origin, received } = await receiver();
    const target = targetOf(`http://${origin}/hook`);
    await run(target, "secret");
    expect(received.every((request) => request.authorization === "Bearer secret")).toBe(true);
    const stored = await database.prisma.audit_entry.findMany({
      where: { org_id: one.orgId },
      orderBy: { position: "asc" },
    });
    const own = entriesIn(received).filter((entry) => entry.organisation_id === one.orgId);
    expect(own.map(({ position, hash }) => [position, hash])).toEqual(
      stored.map(({ position, hash }) => [position, hash]),
    );
    expect(received.length).toBeGreaterThan(3);
    received.length = 0;
    await run(target);
    expect(received).toEqual([]);
    await write(other, 2);
    await run(target);
    expect(entriesIn(received).map((entry) => entry.organisation_id)).toEqual([other.orgId, other.orgId]);
  });

  test.each([500, 403, 302])(
    "is sent again after the receiver answered %d, from the same place",
    async (status) => {
      const organisation = await createOrganisation(database);
      await write(organisation, 3);
      const { origin, received } = await receiver({ statuses: [status] });
      const target = targetOf(`http://${origin}/`);
      warnings.length = 0;
      await run(target);
      expect(entriesIn(received).filter((entry) => entry.organisation_id === organisation.orgId)).toEqual([]);
      expect(warnings).toEqual([expect.stringContaining(`HTTP status ${status}`)]);
      await run(target);
      const found = entriesIn(received).filter((entry) => entry.organisation_id === organisation.orgId);
      expect(found).toHaveLength(
        await database.prisma.audit_entry.count({ where: { org_id: organisation.orgId } }),
      );
    },
  );

  test("is sent in smaller requests to a receiver that takes no large ones, and a long row without its values", async () => {
    const organisation = await createOrganisation(database);
    await write(organisation, 40);
    await database.transaction((tx) =>
      recordAll(tx, organisation.caller, [
        { action: "test.long", subject: { type: "test", id: "long" }, after: { text: "x".repeat(5_000) } },
      ]),
    );
    await write(organisation, 1);
    const { origin, received } = await receiver({ bytesMax: 4_000 });
    warnings.length = 0;
    await run(targetOf(`http://${origin}/`));
    expect(warnings).toEqual([]);
    const stored = await database.prisma.audit_entry.findMany({
      where: { org_id: organisation.orgId },
      orderBy: { position: "asc" },
    });
    const own = entriesIn(received).filter((entry) => entry.organisation_id === organisation.orgId);
    expect(own.map(({ position, hash }) => [position, hash])).toEqual(
      stored.map(({ position, hash }) => [position, hash]),
    );
    expect(own.filter(({ shortened }) => shortened)).toMatchObject([
      { action: "test.long", before: null, after: null },
    ]);
  });

  test("a receiver that takes nothing at all is not asked forever in one run", async () => {
    const organisation = await createOrganisation(database);
    await write(organisation, 8);
    const { origin, received } = await receiver({ bytesMax: 0 });
    warnings.length = 0;
    await run(targetOf(`http://${origin}/`));
    expect(received).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("HTTP status 413")]);
  });

  test("is sent as OTLP logs", async () => {
    const organisation = await createOrganisation(database);
    await write(organisation, 2);
    const { origin, received } = await receiver();
    await run(targetOf(`otlp+http://${origin}`));
    const names = received.flatMap(({ body }) =>
      JSON.parse(body).resourceLogs[0].scopeLogs[0].logRecords.map(
        (one: { eventName: string }) => one.eventName,
      ),
    );
    expect(names).toContain("test.write");
    expect(received[0]?.type).toBe("application/json");
  });

  test("is sent over syslog, and stays to be sent while nobody listens", async () => {
    const organisation = await createOrganisation(database);
    await write(organisation, 2);
    warnings.length = 0;
    await run(targetOf("syslog+tcp://127.0.0.1:9"));
    expect(warnings).toEqual([expect.stringContaining("ECONNREFUSED")]);
    let text = "";
    const server = net.createServer((socket) => socket.on("data", (part) => (text += part.toString())));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    await run(targetOf(`syslog+tcp://127.0.0.1:${(server.address() as AddressInfo).port}`));
    expect(text.match(/ portolan - test\.write - /g)).toHaveLength(2);
  });
});

test("a server sends its audit log to the receiver of its settings", async () => {
  const { origin, received } = await receiver();
  const server = await startTestServer({
    settings: {
      AUDIT_EXPORT_URL: `http://${origin}/hook`,
      AUDIT_EXPORT_TOKEN: "of-the-siem",
      ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
    },
  });
  await server.services.queue.enqueue(null, "export-audit", {}, { key: "now" });
  server.services.queue.wake("export-audit");
  await until(async () => expect(received[0]?.authorization).toBe("Bearer of-the-siem"));
  expect(received[0]?.body).toContain("organisation.create");
});
