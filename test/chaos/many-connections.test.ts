import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { mintKey } from "#server/keys/index.ts";
import { limits } from "#server/platform/limits.ts";
import { directoryOfFile, temporaryDirectory } from "#test/directories.ts";
import { eventually, type ServerProcess, startGateway } from "./gateway-process.ts";
import { freePort } from "./installation.ts";
import { probeHealth } from "./probe-health.ts";

/** What a person sees as at once, whatever others do. */
const healthMsMax = 200;
const memoryMiBMax = 128;
/** Connections made at once: what a process does for each of them, the one that asks for its health waits for. */
const together = 50;
/** What the process opens by itself in the meantime: connections to its database, files of the spool. */
const ownDescriptors = 16;

const isLong = process.env.CHAOS === "long";
const upgrades = isLong ? 19_500 : 1_000;
const uploads = isLong ? 1_000 : 200;
const halfOpen = isLong ? 1_500 : 300;
const lacking = existsSync("/proc/self/fd") ? "" : ": LEFT OUT, there is no /proc";

const key = mintKey("ptl");
let gateway: ServerProcess & { origin: string };

beforeAll(async () => {
  gateway = await startGateway(await freePort(), {
    DATA_DIR: directoryOfFile(),
    ADMIN_API_KEY: key,
    RATE_LIMIT_PAGES: "0",
  });
  return () => gateway.end("SIGKILL");
}, 120_000);

const descriptors = (): number => readdirSync(`/proc/${gateway.child.pid}/fd`).length;
const memoryMiB = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.child.pid}/status`, "utf8"))?.[1]) / 1024;

/** Opens a connection and sends `bytes`; what the server does to it later is looked at by `done`. */
async function open(bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.origin).port), "127.0.0.1");
  // One that is reset has ended as well.
  socket.on("error", () => {}).resume();
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

async function openMany(count: number, bytes: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const more = Math.min(together, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: more }, () => open(bytes)))));
  }
  return sockets;
}

const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : once(socket, "close");

/**
 * Runs `work`, and looks at descriptors, memory and health of the server meanwhile and afterwards. What was measured
 * stands beside the test in the report.
 */
async function undisturbedBy({ annotate }: TestContext, work: () => Promise<void>): Promise<void> {
  const before = { descriptors: descriptors(), memory: memoryMiB() };
  const health = probeHealth(gateway);
  await health.worstMs();
  let most = before.descriptors;
  const watch = setInterval(() => {
    most = Math.max(most, descriptors());
  }, 100);
  await work().finally(() => clearInterval(watch));
  await eventually("closed connections", async () => descriptors() <= before.descriptors + ownDescriptors);
  const grownMiB = memoryMiB() - before.memory;
  const worstMs = await health.worstMs();
  await annotate(
    `descriptors ${before.descriptors}, at most ${most}, afterwards ${descriptors()}; ` +
      `memory ${grownMiB.toFixed(1)} MiB more; health within ${worstMs.toFixed(1)} ms`,
  );
  expect(grownMiB).toBeLessThan(memoryMiBMax);
  expect(worstMs).toBeLessThan(healthMsMax);
}

describe.skipIf(lacking !== "")(
  `descriptors and memory are released, and health is reported immediately${lacking}`,
  () => {
    test(`after ${upgrades} requests for an upgrade`, { timeout: 300_000 }, (context) =>
      undisturbedBy(context, async () => {
        const request = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        for (let sent = 0; sent < upgrades; sent += together) {
          await Promise.all((await openMany(together, request)).map(closed));
        }
      }),
    );

    test(`after ${uploads} slow uploads whose clients gave up`, { timeout: 300_000 }, (context) =>
      undisturbedBy(context, async () => {
        const head = ["POST /api/v1/completions HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
        const request = [...head, "Content-Type: application/json", "Content-Length: 100000", "", "{"];
        const sockets = await openMany(uploads, request.join("\r\n"));
        for (let second = 0; second < 3; second++) {
          await pause(1_000);
          for (const socket of sockets) socket.write(" ");
        }
        for (const socket of sockets) socket.destroy();
      }),
    );

    test.skipIf(!isLong)(`after ${uploads} slow uploads that never end`, { timeout: 600_000 }, (context) =>
      undisturbedBy(context, async () => {
        const head = ["POST /api/v1/completions HTTP/1.1", "Host: x", `Authorization: Bearer ${key}`];
        const request = [...head, "Content-Type: application/json", "Content-Length: 100000", "", "{"];
        const sockets = await openMany(uploads, request.join("\r\n"));
        const drip = setInterval(() => {
          for (const socket of sockets) if (socket.writable) socket.write(" ");
        }, 1_000);
        await Promise.all(sockets.map(closed)).finally(() => clearInterval(drip));
      }),
    );

    test(`after ${halfOpen} requests whose headers never end`, { timeout: 300_000 }, (context) =>
      undisturbedBy(context, async () => {
        const sockets = await openMany(halfOpen, "GET /keys HTTP/1.1\r\nHost: x\r\nX-Half: ");
        await Promise.all(sockets.map(closed));
      }),
    );
  },
);

test.skipIf(lacking !== "")(
  `connections beyond what the process may hold are closed, and the others served${lacking}`,
  { timeout: 120_000 },
  async () => {
    const { min, descriptorsReserved } = limits.http.connections;
    const few = ["prlimit", `--nofile=${descriptorsReserved + 2 * min}`];
    const small = await startGateway(await freePort(), { DATA_DIR: temporaryDirectory() }, { under: few });
    onTestFinished(() => small.end("SIGKILL"));
    const port = Number(new URL(small.origin).port);
    const sockets = Array.from({ length: 2 * min }, () => connect(port, "127.0.0.1"));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (const socket of sockets) socket.on("error", () => {}).resume();
    await eventually("connections to be dropped", async () => sockets.filter((s) => s.closed).length >= min);
    const held = sockets.find(({ closed: isClosed }) => !isClosed);
    held?.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(held && String((await once(held, "data"))[0])).toContain("200 OK");
    for (const socket of sockets) socket.destroy();
    await eventually("new connections to be taken", async () => {
      try {
        return (await fetch(`${small.origin}/health/ready`)).ok;
      } catch (error) {
        if (error instanceof TypeError) return false;
        throw error;
      }
    });
  },
);
