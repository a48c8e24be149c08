import { describe, expect, test } from "vitest";
import { recordAll } from "#server/audit/record.ts";
import { leafHash, nodeHash } from "#server/transparency/tree.ts";
import { createOrganisation } from "#test/factories.ts";
import { readPublicKey, verifyCheckpoint } from "../../scripts/verify.mjs";
import { startTestServer } from "./server.ts";

const { send, services } = await startTestServer();
const { database, transparency } = services;
const { caller, key } = await createOrganisation(database);
const { key: otherKey } = await createOrganisation(database);
const existing = await database.prisma.audit_entry.count({ where: { org_id: caller.orgId } });
const size = 700;
const entry = (at: number) => ({ action: "test.write", subject: { type: "test", id: String(at) } });
await database.transaction((tx) =>
  recordAll(
    tx,
    caller,
    Array.from({ length: size - existing }, (_, at) => entry(at)),
  ),
);
await services.refreshSnapshot();
await transparency.sequencer.run();

const get = (path: string, by = key) => send("GET", `/transparency-log/${path}`, { key: by });
async function bytesOf(path: string): Promise<Buffer> {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return Buffer.from(await response.arrayBuffer());
}
const hashesIn = (tile: Buffer): Buffer[] =>
  Array.from({ length: tile.length / 32 }, (_, at) => tile.subarray(at * 32, (at + 1) * 32));

/** The entries of a bundle by the specification: each after its length, as two bytes. */
function entriesIn(bundle: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
    entries.push(bundle.subarray(at + 2, at + 2 + bundle.readUInt16BE(at)));
  return entries;
}

function rootOf(leaves: readonly Buffer[]): Buffer {
  const [leaf] = leaves;
  if (leaves.length === 1 && leaf) return leaf;
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

const places = ["000", "001", "002.p/188"] as const;

describe("the static resources of a transparency log (C2SP tlog-tiles)", () => {
  test("are the tree of the checkpoint: entries, their hashes, and the hashes of full tiles", async () => {
    const checkpoint = await get("checkpoint");
    expect(checkpoint.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const note = await checkpoint.text();
    const { public_keys } = (await (await send("GET", "/transparency-log", { key })).json()) as {
      public_keys: string[];
    };
    const head = verifyCheckpoint(
      note,
      public_keys.map((one) => readPublicKey(one)),
    );
    expect(head.size).toBe(size);
    const tiles = await Promise.all(places.map((place) => bytesOf(`tile/0/${place}`)));
    const leaves = tiles.flatMap(hashesIn);
    expect(rootOf(leaves)).toEqual(head.root);
    const bundles = await Promise.all(places.map((place) => bytesOf(`tile/entries/${place}`)));
    expect(bundles.flatMap(entriesIn).map(leafHash)).toEqual(leaves);
    const above = hashesIn(await bytesOf("tile/1/000.p/2"));
    expect(above).toEqual([rootOf(leaves.slice(0, 256)), rootOf(leaves.slice(256, 512))]);
  });

  test("of an earlier size remain, and are the beginning of the later ones", async () => {
    const later = await bytesOf("tile/0/002.p/188");
    expect(await bytesOf("tile/0/002.p/17")).toEqual(later.subarray(0, 17 * 32));
    const response = await get("tile/entries/002.p/1");
    expect(response.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
  });

  test.each([
    ["a full tile that is not full yet", "tile/0/002"],
    ["more hashes than there are", "tile/0/002.p/189"],
    ["a tile beyond the tree", "tile/0/003.p/1"],
    ["a level that does not exist yet", "tile/2/000.p/1"],
    ["another spelling of a number", "tile/0/x000/001"],
    ["a level with a zero before it", "tile/00/000"],
    ["a width of 256", "tile/0/000.p/256"],
    ["a width of 0", "tile/0/000.p/0"],
    ["a number that is too large", `tile/0/${"x999/".repeat(4)}999`],
    ["a path that leads out", "tile/0/../000"],
  ])("do not include %s", async (_, path) => {
    expect((await get(path)).status).toBe(404);
  });

  test("are those of the caller's organisation only, and need the permission", async () => {
    expect((await get("tile/0/001", otherKey)).status).toBe(404);
    expect(await (await get("checkpoint", otherKey)).text()).not.toContain(caller.orgId);
    expect((await send("GET", "/transparency-log/checkpoint", { key: null })).status).toBe(401);
    const made = await send("POST", "/keys", { key, body: JSON.stringify({ name: "Plain" }) });
    const { key: plain } = (await made.json()) as { key: string };
    expect((await get("tile/0/000", plain)).status).toBe(403);
  });
});
