import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import {
  cosignCheckpoints,
  proveAuditEntry,
  proveConsistency,
  readWitness,
  type Witness,
} from "#server/transparency/index.ts";
import { directoryOfFile } from "#test/directories.ts";
import { openTestDatabase } from "#test/factories.ts";
import { startWitness } from "#test/transparency/witness.ts";
import { until } from "#test/until.ts";
import {
  NotValid,
  readPublicKey,
  run,
  verifyAuditEntry,
  verifyCheckpoint,
  verifyCosignatures,
  verifyGrowth,
} from "../../scripts/verify.mjs";
import { logsOf, signer } from "./logged-organisations.ts";
import { startTestServer } from "./server.ts";

const { database } = await openTestDatabase();
const { organisation, write, sequenceOnce, log } = logsOf(database);
const outbound = new Outbound(allowedHosts(["127.0.0.1"]), { secureOnly: true, setting: "ALLOW" });
const [north, south] = [await startWitness("north.test/w", 21), await startWitness("south.test/w", 22)];
const witnesses = [north, south].map(({ setting }) => readWitness(setting) as Witness);
afterAll(async () => {
  await outbound.close();
  await Promise.all([north.close(), south.close()]);
});

const warnings: string[] = [];
const reporting = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
const cosign = (by = witnesses) => cosignCheckpoints({ database, outbound, witnesses: by, log: reporting });
const deps = { database, signer };
const keysOf = (texts: readonly string[]) => texts.map((text) => readPublicKey(text));
const witnessKeys = [north, south].map(({ publicKey }) => readPublicKey(publicKey, "witness"));

/** An organisation whose log both witnesses know. */
async function watched(rows = 3) {
  const made = await organisation(rows);
  const { origin, public_keys } = await log(made.reader);
  for (const witness of [north, south]) witness.knows(origin, keysOf(public_keys));
  return {
    ...made,
    keys: keysOf(public_keys),
    warningsOf: () => warnings.filter((one) => one.includes(made.orgId)),
  };
}

beforeEach(() => {
  warnings.length = 0;
  for (const witness of [north, south]) {
    witness.answering(null);
    witness.signingAt(null);
    witness.requests.length = 0;
  }
});

describe("witnesses", () => {
  test("sign checkpoints, and proofs contain their signatures", async () => {
    const { reader, keys, warningsOf } = await watched();
    await cosign();
    expect(warningsOf()).toEqual([]);
    const { cosigned_checkpoint, witnesses: signed, size } = await log(reader);
    expect(signed.map(({ name }) => name).sort()).toEqual(["north.test/w", "south.test/w"]);
    expect(verifyCheckpoint(cosigned_checkpoint, keys).size).toBe(size);
    const { note } = verifyAuditEntry(await proveAuditEntry(deps, reader, 1), keys);
    expect(note).toBe(cosigned_checkpoint);
    expect(verifyCosignatures(note, witnessKeys)).toHaveLength(2);
  });

  test("sign each longer tree with a proof that continues the one before, and nothing twice", async () => {
    const { caller, reader, keys } = await watched();
    await cosign();
    const before = await log(reader);
    await write(caller, "later");
    await sequenceOnce(signer);
    north.requests.length = 0;
    await cosign();
    await cosign();
    expect(north.requests.filter(({ status }) => status === 200)).toEqual([
      { old: before.size, status: 200 },
    ]);
    const after = await log(reader);
    expect(verifyCheckpoint(after.cosigned_checkpoint, keys).size).toBe(before.size + 1);
    const proof = await proveConsistency(deps, reader, { from: before.size });
    expect(verifyGrowth(proof, before.cosigned_checkpoint ?? "", keys).checkpoint.size).toBe(before.size + 1);
  });

  test("that know a checkpoint which is not stored here are asked again from there", async () => {
    const { orgId, caller, reader, warningsOf } = await watched();
    await cosign();
    await database.prisma.log_cosignature.deleteMany({ where: { org_id: orgId } });
    await write(caller, "later");
    await sequenceOnce(signer);
    north.requests.length = 0;
    await cosign();
    expect(warningsOf()).toEqual([]);
    expect(north.requests.map(({ status }) => status)).toEqual(expect.arrayContaining([409, 200]));
    expect((await log(reader)).witnesses).toHaveLength(2);
  });

  test("that know a longer log than the database has report it: a backup was restored, or entries were removed", async () => {
    const { orgId, warningsOf } = await watched();
    await cosign();
    await database.prisma.log_cosignature.updateMany({ where: { org_id: orgId }, data: { size: 999 } });
    await database.prisma.log_tree.updateMany({
      where: { org_id: orgId },
      data: { checkpoint: "x\n1\ny\n\n" },
    });
    await cosign();
    expect(warningsOf()).toEqual(
      ["north", "south"].map((name) => expect.stringMatching(`${name}.*it knows 999 entries of the log`)),
    );
  });

  test("do not sign a tree that was rewritten with the installation's key", async () => {
    const { orgId, reader, warningsOf } = await watched();
    await cosign();
    const { prisma } = database;
    await prisma.audit_entry.updateMany({ where: { org_id: orgId, position: 2 }, data: { action: "x.y" } });
    await prisma.log_tree.deleteMany({ where: { org_id: orgId } });
    await prisma.log_tile.deleteMany({ where: { org_id: orgId } });
    await prisma.log_bundle.deleteMany({ where: { org_id: orgId } });
    await sequenceOnce(signer);
    const { checkpoint } = await log(reader);
    await cosign();
    expect(warningsOf()).toEqual([
      expect.stringContaining("it answered 409"),
      expect.stringContaining("it answered 409"),
    ]);
    expect((await log(reader)).cosigned_checkpoint).not.toContain(checkpoint.split("\n")[2]);
  });

  const forged: readonly (readonly [string, (line: string) => string])[] = [
    ["no line", () => ""],
    ["a line of another witness", (line) => line.replace("north.test/w", "east.test/w")],
    ["a signature with a changed bit", (line) => line.replace(/.{8}\n$/, "AAAAAAA=\n")],
    ["a signature of another time", (line) => line.replace(/(— \S+ .{10})../, "$1AA")],
    ["a page", () => "<html>hello</html>"],
  ];
  test.each(forged)("whose answer has %s are not believed", async (_, change) => {
    const { reader, warningsOf } = await watched();
    north.answering(change);
    await cosign();
    expect(warningsOf()).toEqual([expect.stringContaining("north.test/w")]);
    expect((await log(reader)).witnesses.map(({ name }) => name)).toEqual(["south.test/w"]);
    const { note } = verifyAuditEntry(
      await proveAuditEntry(deps, reader, 1),
      keysOf((await log(reader)).public_keys),
    );
    expect(() => verifyCosignatures(note, witnessKeys)).toThrow(NotValid);
  });

  test("that sign at a time that does not exist are not believed, and hold up no other", async () => {
    const { reader, warningsOf } = await watched();
    north.signingAt(2n ** 64n - 1n);
    await cosign();
    expect(warningsOf()).toEqual([expect.stringContaining("no valid signature")]);
    expect((await log(reader)).witnesses.map(({ name }) => name)).toEqual(["south.test/w"]);
  });

  test("get the other checkpoints if the tree of one log is damaged", async () => {
    const [damaged, other] = [await watched(), await watched()];
    await cosign();
    for (const { caller } of [damaged, other]) await write(caller, "later");
    await sequenceOnce(signer);
    await database.prisma.log_tile.deleteMany({ where: { org_id: damaged.orgId } });
    await cosign();
    expect(damaged.warningsOf()).toHaveLength(2);
    expect(other.warningsOf()).toEqual([]);
    const { size, cosigned_checkpoint } = await log(other.reader);
    expect(verifyCheckpoint(cosigned_checkpoint, other.keys).size).toBe(size);
  });

  test("that cannot be reached, or do not know the log, do not hold up the others", async () => {
    const { reader, warningsOf } = await watched();
    const gone = { ...(witnesses[0] as Witness), url: new URL("http://127.0.0.1:9/add-checkpoint") };
    const { orgId: unknown } = await organisation(0);
    await cosign([gone, witnesses[1] as Witness]);
    expect(warningsOf()).toEqual([expect.stringContaining("north.test/w")]);
    expect(warnings.filter((one) => one.includes(unknown))).toContainEqual(
      expect.stringContaining("it answered 404"),
    );
    expect((await log(reader)).witnesses.map(({ name }) => name)).toEqual(["south.test/w"]);
  });
});

test("a server sends checkpoints to the witnesses of its settings, and its proofs are verified with them", async () => {
  const server = await startTestServer({
    settings: { TRANSPARENCY_WITNESSES: north.setting, ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1" },
  });
  const { sequencer } = server.services.transparency;
  await sequencer.run();
  const read = async () =>
    (await (await server.send("GET", "/transparency-log")).json()) as {
      origin: string;
      public_keys: string[];
      witnesses: { name: string }[];
    };
  const { origin, public_keys } = await read();
  north.knows(origin, keysOf(public_keys));
  await server.services.queue.enqueue(null, "cosign-checkpoints", {}, { key: "now" });
  server.services.queue.wake("cosign-checkpoints");
  await until(async () => expect((await read()).witnesses).toMatchObject([{ name: "north.test/w" }]));
  const path = join(directoryOfFile(), "proof.json");
  writeFileSync(path, await (await server.send("GET", "/audit-log/1/proof")).text());
  const verified = run([path, "--key", public_keys[0] ?? "", "--witness", north.publicKey]);
  expect(verified.text).toContain("Proven: the witness north.test/w saw this checkpoint at ");
  expect(() => run([path, "--key", public_keys[0] ?? "", "--witness", south.publicKey])).toThrow(
    "The witness south.test/w did not sign the checkpoint",
  );
});
