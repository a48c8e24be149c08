import { describe, expect, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { bundled, entriesIn, entryOf } from "#server/transparency/entry.ts";
import { createLogSigner, readCheckpoint, type StoredCheckpoint } from "#server/transparency/index.ts";
import { openTestDatabase } from "#test/factories.ts";
import { logsOf, signer } from "./logged-organisations.ts";

const { database } = await openTestDatabase();
const { organisation, write, sequenceOnce, log, problemsOf } = logsOf(database);

const changedAt = (index: number) =>
  `entry ${index} is not the row of the audit log that was added to the log`;

/** Changes by somebody with write access to the database, and what the verification reports. */
const rewrites: readonly {
  readonly name: string;
  readonly change: (orgId: string) => Promise<unknown>;
  readonly found: string;
}[] = [
  {
    name: "changes a row",
    change: (org_id) =>
      database.prisma.audit_entry.updateMany({
        where: { org_id, position: 3 },
        data: { subject_id: "nobody" },
      }),
    found: changedAt(2),
  },
  {
    name: "removes a row",
    change: (org_id) => database.prisma.audit_entry.deleteMany({ where: { org_id, position: 3 } }),
    found: changedAt(2),
  },
  {
    name: "removes the last row",
    change: (org_id) => database.prisma.audit_entry.deleteMany({ where: { org_id, position: 6 } }),
    found: changedAt(5),
  },
  {
    name: "exchanges two rows",
    change: async (org_id) => {
      const { audit_entry } = database.prisma;
      await audit_entry.updateMany({ where: { org_id, position: 2 }, data: { position: 99 } });
      await audit_entry.updateMany({ where: { org_id, position: 3 }, data: { position: 2 } });
      await audit_entry.updateMany({ where: { org_id, position: 99 }, data: { position: 3 } });
    },
    found: changedAt(1),
  },
  {
    name: "adds a row between others",
    change: async (org_id) => {
      const { id: _, ...row } = await database.prisma.audit_entry.findFirstOrThrow({
        where: { org_id, position: 3 },
      });
      await database.prisma.audit_entry.create({
        data: { ...row, before: row.before ?? undefined, after: row.after ?? undefined },
      });
    },
    found: changedAt(3),
  },
  {
    name: "changes a row and its entry",
    change: async (org_id) => {
      const { audit_entry, log_bundle } = database.prisma;
      await audit_entry.updateMany({ where: { org_id, position: 3 }, data: { action: "x.y" } });
      const row = await audit_entry.findFirstOrThrow({ where: { org_id, position: 3 } });
      const { entries } = await log_bundle.findFirstOrThrow({ where: { org_id } });
      const changed = entriesIn(entries).map((entry, at) => (at === 2 ? entryOf(row) : entry));
      await log_bundle.updateMany({ where: { org_id }, data: { entries: new Uint8Array(bundled(changed)) } });
    },
    found: changedAt(2),
  },
  {
    name: "removes the stored entries",
    change: (org_id) => database.prisma.log_bundle.deleteMany({ where: { org_id } }),
    found: changedAt(0),
  },
  {
    name: "changes a row and the tree with it",
    change: async (org_id) => {
      await database.prisma.audit_entry.updateMany({
        where: { org_id, position: 3 },
        data: { action: "x.y" },
      });
      await rebuildTree(org_id);
    },
    found: "its checkpoint is not the one that this installation signed",
  },
  {
    name: "removes the end of both",
    change: async (org_id) => {
      await database.prisma.audit_entry.deleteMany({ where: { org_id, position: { gt: 3 } } });
      await rebuildTree(org_id);
    },
    found: "its checkpoint is not the one that this installation signed",
  },
  {
    name: "returns to an earlier state",
    change: async (org_id) => {
      await database.prisma.audit_entry.deleteMany({ where: { org_id, position: { gt: 3 } } });
      await rebuildTree(org_id, signer);
    },
    found: "it has 3 entries, and had 6 at the checkpoint given",
  },
  {
    name: "changes a row with the installation's key, and everything after it",
    change: async (org_id) => {
      await database.prisma.audit_entry.updateMany({
        where: { org_id, position: 3 },
        data: { action: "x.y" },
      });
      await rebuildTree(org_id, signer);
    },
    found: "its first 6 entries are not those of the checkpoint given",
  },
  {
    name: "removes the log",
    change: (org_id) => database.prisma.log_tree.deleteMany({ where: { org_id } }),
    found: "the log is missing",
  },
  {
    name: "removes its checkpoint",
    change: (org_id) => database.prisma.log_tree.updateMany({ where: { org_id }, data: { checkpoint: "" } }),
    found: "its checkpoint is not the one that this installation signed",
  },
  {
    name: "removes its tiles",
    change: (org_id) => database.prisma.log_tile.deleteMany({ where: { org_id } }),
    found: changedAt(0),
  },
];

/** Makes a new log from the rows there are, as an attacker would: with another key, unless that one was stolen. */
async function rebuildTree(org_id: string, by = createLogSigner([Buffer.alloc(32, 66)])): Promise<void> {
  const { prisma } = database;
  await prisma.log_tree.deleteMany({ where: { org_id } });
  await prisma.log_tile.deleteMany({ where: { org_id } });
  await prisma.log_bundle.deleteMany({ where: { org_id } });
  const [last] = await prisma.audit_entry.findMany({
    where: { org_id },
    orderBy: { position: "desc" },
    take: 1,
  });
  await prisma.audit_head.updateMany({ where: { org_id }, data: { position: last?.position ?? 0 } });
  await sequenceOnce(by);
}

describe("an attacker with write access to the database", () => {
  test.each(rewrites)("who $name is detected from an earlier checkpoint", async ({ change, found }) => {
    const { orgId, reader } = await organisation(
      6 - (await organisation(0).then(({ reader }) => log(reader))).size,
    );
    const { checkpoint, size } = await log(reader);
    expect(size).toBe(6);
    const earlier = readCheckpoint(checkpoint) as StoredCheckpoint;
    expect(await problemsOf(orgId, [earlier])).toEqual([]);
    await change(orgId);
    expect(await problemsOf(orgId, [earlier])).toEqual([found]);
  });

  const damages: readonly (readonly [string, (hashes: Buffer) => Buffer | null])[] = [
    ["changes a tile", (hashes) => Buffer.concat([Buffer.of((hashes[0] ?? 0) ^ 1), hashes.subarray(1)])],
    ["shortens a tile", (hashes) => hashes.subarray(32)],
    ["removes a tile", () => null],
  ];
  test.each(damages)("who %s gets no checkpoint for it, and holds up no other log", async (_, damage) => {
    const { orgId, caller, reader } = await organisation(3);
    const other = await organisation(1);
    const { checkpoint } = await log(reader);
    const where = { org_id: orgId, level: 0 };
    const tile = await database.prisma.log_tile.findFirstOrThrow({ where });
    const hashes = damage(Buffer.from(tile.hashes));
    if (hashes)
      await database.prisma.log_tile.updateMany({ where, data: { hashes: new Uint8Array(hashes) } });
    else await database.prisma.log_tile.deleteMany({ where });
    await write(caller, "later");
    await write(other.caller, "later");
    const { size } = await log(other.reader);
    const lines: string[] = [];
    const reporting = { ...silentLog, error: (_: object, text: string) => void lines.push(text) };
    await sequenceOnce(signer, reporting, 2);
    expect(lines.filter((line) => line.includes(orgId))).toEqual([
      expect.stringContaining(`${orgId} is not the one that was signed`),
    ]);
    expect((await log(reader)).checkpoint).toBe(checkpoint);
    expect((await log(other.reader)).size).toBe(size + 1);
  });
});
