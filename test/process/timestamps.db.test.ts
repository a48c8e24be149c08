import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { clock, dayMs } from "#server/platform/clock.ts";
import { silentLog } from "#server/platform/log.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { listTimestamps, stampCheckpoints } from "#server/transparency/index.ts";
import { directoryOfFile } from "#test/directories.ts";
import { openTestDatabase } from "#test/factories.ts";
import { hasOpenssl, makeAuthority, startAuthority } from "#test/transparency/authority.ts";
import { until } from "#test/until.ts";
import { logsOf, signer } from "./logged-organisations.ts";
import { startTestServer } from "./server.ts";

const { database } = await openTestDatabase();
const { organisation, write, sequenceOnce, log } = logsOf(database);
const outbound = new Outbound(allowedHosts(["127.0.0.1"]), { setting: "ALLOW" });
const root = directoryOfFile();
const closing: (() => unknown)[] = [() => outbound.close()];
afterAll(() => Promise.all(closing.map((close) => close())));
afterEach(() => vi.restoreAllMocks());

/** An authority with a key of its own. */
async function authority(name: string, change?: (answer: Buffer) => Buffer) {
  const directory = join(root, name);
  mkdirSync(directory);
  await makeAuthority(directory, ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
  const started = await startAuthority(directory, change);
  closing.push(() => started.close());
  return { ...started, directory };
}

describe.skipIf(!hasOpenssl())("time-stamping authorities", () => {
  const warnings: string[] = [];
  const reporting = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  const stamp = (...urls: URL[]) =>
    stampCheckpoints({ database, authorities: { urls, outbound }, log: reporting });
  const first = { limit: 10, offset: 0 };

  test("stamp each log once a day if it changed, and openssl verifies what they answered", async () => {
    const { url, directory } = await authority("once-a-day");
    const { reader, caller } = await organisation(2);
    const { checkpoint, size } = await log(reader);
    await stamp(url);
    await stamp(url);
    const { data } = await listTimestamps(database, reader, first);
    expect(data).toMatchObject([{ authority: url.href, size, checkpoint }]);
    const [stamped] = data;
    writeFileSync(join(directory, "checkpoint.txt"), stamped?.checkpoint ?? "");
    writeFileSync(join(directory, "stored.tsr"), Buffer.from(stamped?.response ?? "", "base64"));
    const args = [
      "ts",
      "-verify",
      "-data",
      "checkpoint.txt",
      "-in",
      "stored.tsr",
      "-CAfile",
      "certificate.pem",
    ];
    const { stdout, stderr } = await promisify(execFile)("openssl", args, { cwd: directory });
    expect(stdout + stderr).toContain("Verification: OK");

    vi.spyOn(clock, "nowMs").mockReturnValue(Date.now() + 2 * dayMs);
    await stamp(url);
    expect((await listTimestamps(database, reader, first)).data).toHaveLength(1);
    await write(caller, "later");
    await sequenceOnce(signer);
    await stamp(url);
    expect((await listTimestamps(database, reader, first)).data.map((one) => one.size)).toEqual([
      size + 1,
      size,
    ]);
  });

  test.each<[string, (answer: Buffer) => Buffer, string]>([
    ["a forged time", (answer) => forged(answer, "20", "19"), "another content"],
    ["what is no timestamp", () => Buffer.from("hello"), "is not a valid timestamp (A value is cut off)"],
  ])("that answer with %s are reported, and nothing is stored", async (what, change, reason) => {
    const { url } = await authority(what.replaceAll(" ", "-"), change);
    const { orgId, reader } = await organisation(1);
    await stamp(url);
    expect((await listTimestamps(database, reader, first)).data).toEqual([]);
    const about = warnings.filter((one) => one.includes(orgId));
    expect(about).toEqual([expect.stringContaining(reason)]);
  });

  test("that cannot be reached do not hold up others", async () => {
    const { url } = await authority("reachable");
    const { orgId, reader } = await organisation(1);
    await stamp(new URL("http://127.0.0.1:9/tsr"), url);
    expect((await listTimestamps(database, reader, first)).data).toMatchObject([{ authority: url.href }]);
    expect(warnings.filter((one) => one.includes(orgId))).toEqual([expect.stringContaining("127.0.0.1:9")]);
  });

  test("of the settings are asked by a server, and show their timestamps", async () => {
    const { url, requests } = await authority("of-settings");
    const server = await startTestServer({
      settings: { TRANSPARENCY_TIMESTAMPS: url.href, ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1" },
    });
    await server.services.transparency.sequencer.run();
    await server.services.queue.enqueue(null, "stamp-checkpoints", {}, { key: "now" });
    server.services.queue.wake("stamp-checkpoints");
    const read = async () =>
      ((await (await server.send("GET", "/transparency-log/timestamps")).json()) as { data: object[] }).data;
    await until(async () => expect(await read()).toMatchObject([{ authority: url.href }]));
    // A hash and a number: nothing else leaves.
    expect(requests[0]?.length).toBeLessThan(100);
  });
});

/** Replaces the last time that some bytes occur before the signature. */
function forged(answer: Buffer, from: string, to: string): Buffer {
  const changed = Buffer.from(answer);
  const at = changed.indexOf(Buffer.from(from, "latin1"), changed.indexOf(Buffer.of(0x18, 0x0f)));
  changed.write(to, at, "latin1");
  return changed;
}
