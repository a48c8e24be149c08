import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TransparencyLog } from "#contract/transparency-log.ts";
import { clock, dayMs } from "#server/platform/clock.ts";
import { silentLog } from "#server/platform/log.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { publishCheckpoints, readPublicationTarget } from "#server/transparency/index.ts";
import { bucketName, startS3 } from "#test/destinations/s3-server.ts";
import { openTestDatabase } from "#test/factories.ts";
import { until } from "#test/until.ts";
import { readPublicKey, verifyCheckpoint } from "../../scripts/verify.mjs";
import { logsOf, originOf, signer } from "./logged-organisations.ts";
import { startTestServer } from "./server.ts";

const { database } = await openTestDatabase();
const { organisation, write, sequenceOnce, log } = logsOf(database);
const outbound = new Outbound(allowedHosts(["127.0.0.1"]), { secureOnly: true, setting: "ALLOW" });

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
const received: Received[] = [];
const warnings: string[] = [];
let status = 200;
const hook = createServer((req, res) => {
  void text(req).then((body) => {
    received.push({ method: req.method ?? "", path: req.url ?? "", headers: req.headers, body });
    res.writeHead(status, { location: "/elsewhere" }).end();
  });
}).listen(0, "127.0.0.1");
await once(hook, "listening");
const origin = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
afterAll(async () => {
  hook.close();
  await outbound.close();
});
beforeEach(() => {
  status = 200;
  received.length = 0;
  warnings.length = 0;
});

const s3Key = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER", region: "eu-central-1", lockDays: null };

function publish(to: string, own: { token?: string; s3?: object } = {}): Promise<void> {
  const target = readPublicationTarget(to);
  if (!target) throw new Error(`${to} is no target`);
  const secrets = { token: own.token ?? null, s3: { ...s3Key, ...own.s3 } };
  return publishCheckpoints({
    ...{ database, outbound, publication: { targets: [target], secrets } },
    log: { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) },
  });
}

const bodiesOf = (orgId: string) =>
  received.map(({ body }) => body).filter((body) => body.startsWith(`${originOf(orgId)}\n`));

test("the newest checkpoint of each log is posted once, and again when the log grew", async () => {
  const [one, other] = [await organisation(3), await organisation(1)];
  await publish(`${origin}/hook`, { token: "of-the-hook" });
  const { checkpoint, public_keys } = await log(one.reader);
  expect(bodiesOf(one.orgId)).toEqual([checkpoint]);
  expect(bodiesOf(other.orgId)).toHaveLength(1);
  const keys = public_keys.map((key) => readPublicKey(key));
  const before = verifyCheckpoint(bodiesOf(one.orgId)[0], keys).size;
  expect(received[0]).toMatchObject({
    ...{ method: "POST", path: "/hook" },
    headers: { authorization: "Bearer of-the-hook", "content-type": "text/plain; charset=utf-8" },
  });
  received.length = 0;
  await publish(`${origin}/hook`);
  expect(received).toEqual([]);
  await write(one.caller, "later");
  await sequenceOnce(signer);
  await publish(`${origin}/hook`);
  expect(received).toHaveLength(1);
  expect(verifyCheckpoint(bodiesOf(one.orgId)[0], keys).size).toBe(before + 1);
  expect((await log(one.reader)).publications).toMatchObject([
    { target: `${origin}/hook`, size: before + 1 },
  ]);
});

test.each([500, 403, 302])(
  "a checkpoint is published again after the target answered %d",
  async (refusal) => {
    const { orgId } = await organisation(1);
    const target = `${origin}/refusing-${refusal}`;
    status = refusal;
    await publish(target);
    expect(warnings.filter((one) => one.includes(orgId))).toEqual([
      expect.stringMatching(new RegExp(`was not published at 127\\.0\\.0\\.1:\\d+: it answered ${refusal}$`)),
    ]);
    status = 204;
    received.length = 0;
    await publish(target);
    expect(bodiesOf(orgId)).toHaveLength(1);
  },
);

test("a target that cannot be reached is a warning, and others get the checkpoint", async () => {
  const { orgId } = await organisation(1);
  await publish("http://127.0.0.1:9/hook");
  expect(warnings.some((one) => one.includes(orgId) && one.includes("127.0.0.1:9"))).toBe(true);
  await publish(`${origin}/reached`);
  expect(bodiesOf(orgId)).toHaveLength(1);
});

test("a bucket has one object for each published checkpoint, and refuses another key", async () => {
  const { orgId, caller, reader } = await organisation(2);
  const { config, directory } = await startS3();
  const target = `s3+${config.endpoint}/${bucketName}/kept`;
  const own = () =>
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes(orgId) && name.endsWith("_object"))
      .sort();
  await publish(target, { s3: { accessKeyId: "AKIANOBODY" } });
  expect(warnings.filter((one) => one.includes(orgId))).toEqual([expect.stringContaining("it answered 403")]);
  expect(own()).toEqual([]);
  await publish(target);
  const first = await log(reader);
  await write(caller, "later");
  await sequenceOnce(signer);
  await publish(target);
  const names = own();
  expect(names).toHaveLength(2);
  const [name = ""] = names;
  expect(name).toContain(`${bucketName}/kept/${originOf(orgId)}/${String(first.size).padStart(15, "0")}.txt`);
  expect(readFileSync(join(directory, name), "utf8")).toBe(first.checkpoint);
});

test("with a lock nobody can delete the object for some days: that is signed, too", async () => {
  const { orgId } = await organisation(1);
  await publish(`s3+${origin}/bucket`, { s3: { lockDays: 30 } });
  const { method, path, headers } = received.find(({ body }) => body.includes(orgId)) ?? {};
  expect([method, path]).toEqual([
    "PUT",
    expect.stringMatching(`^/bucket/${originOf(orgId)}/\\d{15}\\.txt$`),
  ]);
  expect(headers?.["x-amz-object-lock-mode"]).toBe("COMPLIANCE");
  const until30Days = Date.parse(String(headers?.["x-amz-object-lock-retain-until-date"])) - clock.nowMs();
  expect(Math.abs(until30Days - 30 * dayMs)).toBeLessThan(60_000);
  for (const name of [
    "x-amz-object-lock-mode",
    "x-amz-object-lock-retain-until-date",
    "x-amz-checksum-sha256",
  ])
    expect(headers?.authorization).toContain(name);
});

test("a server publishes at the targets of its settings, and shows where", async () => {
  const target = `${origin}/of-settings`;
  const server = await startTestServer({
    settings: {
      ...{ TRANSPARENCY_PUBLISH_TO: target, TRANSPARENCY_PUBLISH_TOKEN: "secret" },
      ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
    },
  });
  await server.services.transparency.sequencer.run();
  await server.services.queue.enqueue(null, "publish-checkpoints", {}, { key: "now" });
  server.services.queue.wake("publish-checkpoints");
  const read = async () => (await (await server.send("GET", "/transparency-log")).json()) as TransparencyLog;
  await until(async () => expect((await read()).publications).toMatchObject([{ target }]));
  expect(received.at(-1)?.headers.authorization).toBe("Bearer secret");
});
