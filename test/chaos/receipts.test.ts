import { describe, expect, test } from "vitest";
import type { Authorized } from "#server/access/authorize.ts";
import { systemOf } from "#server/access/caller.ts";
import { mintKey } from "#server/keys/index.ts";
import {
  createLogSigner,
  getLog,
  proveConsistency,
  readReceipt,
  verifyLogs,
} from "#server/transparency/index.ts";
import { readPublicKey, verifyGrowth, verifyReceipt } from "../../scripts/verify.mjs";
import { postgresPrograms } from "../setup/postgres-programs.ts";
import { eventually } from "./gateway-process.ts";
import { workerProcesses } from "./worker-processes.ts";

const programs = postgresPrograms();
const key = mintKey("ptl");
/** `npm run test:receipts` takes the long form. */
const [requests, kills] = process.env.RECEIPTS === "long" ? [100_000, 50] : [3_000, 3];
const workers = 3;
const together = 24;
const signer = createLogSigner([Buffer.alloc(32, 7)]);

type Reader = Authorized<"audit:read", "organisation"> & Authorized<"activity:read">;

describe.skipIf(programs === null || process.platform !== "linux")("receipts", () => {
  const { database, gateway, children } = workerProcesses(programs ?? "", { workers, key });
  async function readerOf(): Promise<Reader> {
    const member = await database().prisma.member.findFirstOrThrow();
    // As if both permissions had been checked.
    return systemOf(member.org_id, member.user_id) as unknown as Reader;
  }

  /** Sends requests, a few at a time. A process that is killed resets the connections to it. */
  function sendAll() {
    const delivered = new Set<string>();
    let sent = 0;
    const sendNext = async (): Promise<void> => {
      while (delivered.size < requests) {
        const user = sent++ % 3 === 0 ? `person ${sent}` : undefined;
        try {
          const response = await fetch(`${gateway().origin}/api/v1/completions`, {
            method: "POST",
            // A connection for each: connections are what is divided among the processes.
            headers: {
              ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
              connection: "close",
            },
            body: JSON.stringify({ model: "chaos/chat", prompt: "Hello", max_tokens: 2, user }),
          });
          await response.arrayBuffer();
          const id = response.headers.get("x-generation-id");
          if (response.status === 200 && id !== null) delivered.add(id);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
      }
    };
    const done = Promise.all(Array.from({ length: together }, sendNext));
    return { delivered, done };
  }

  test(`of ${requests} requests to ${workers} processes that are killed ${kills} times are all in the log, and verify`, async () => {
    const reader = await readerOf();
    const deps = { database: database(), signer };
    const { prisma } = deps.database;
    await eventually("a log", async () => (await prisma.log_tree.count()) === 1);
    const load = sendAll();
    const checkpoints: string[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      await eventually(
        "requests",
        async () => load.delivered.size >= (requests * kill) / (kills + 1),
        600_000,
      );
      await eventually("all processes", async () => children().length === workers);
      process.kill(children()[kill % workers] ?? 0, "SIGKILL");
      checkpoints.push((await getLog(deps, reader)).checkpoint);
    }
    await load.done;
    await eventually("every delivered request", async () => {
      const recorded = await prisma.generation.findMany({ select: { id: true } });
      return load.delivered.isSubsetOf(new Set(recorded.map(({ id }) => id)));
    });
    await eventually("an empty queue of the log", async () => (await prisma.log_pending.count()) === 0);

    expect(await verifyLogs(deps.database, signer)).toMatchObject({ changed: [], deleted: 0 });
    const generations = await prisma.generation.findMany({ select: { id: true } });
    const { size, public_keys } = await getLog(deps, reader);
    expect(size).toBe(generations.length + (await prisma.audit_entry.count()));
    const keys = public_keys.map((text) => readPublicKey(text));
    const indexes = new Set<number>();
    const waiting = [...generations];
    const verifyNext = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop())
        indexes.add(verifyReceipt(await readReceipt(deps, reader, next.id), keys).index);
    };
    await Promise.all(Array.from({ length: 4 }, verifyNext));
    expect(indexes.size).toBe(generations.length);
    for (const checkpoint of checkpoints) {
      const from = Number(checkpoint.split("\n")[1]);
      verifyGrowth(await proveConsistency(deps, reader, { from }), checkpoint, keys);
    }
    console.log(
      `${generations.length} requests, ${load.delivered.size} of them answered, ${kills} kills: ` +
        `${indexes.size} valid receipts, ${checkpoints.length} earlier checkpoints continued`,
    );
  }, 3_000_000);
});
