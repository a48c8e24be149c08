import { describe, expect, onTestFinished, test } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { Unavailable } from "#server/platform/unavailable.ts";
import type { Database } from "./client.ts";
import { Replica } from "./replica.ts";

const unavailable = () => new Unavailable("The database does not answer at the moment", { retryAfterMs: 1 });

/** A database of which only the statement is used that asks how far it is behind. */
const databaseOf = (name: string, behindMs: () => number | null) =>
  ({
    name,
    statement: async () => [{ behind_ms: behindMs() }],
    close: async () => {},
  }) as unknown as Database & { readonly name: string };

type Named = ReturnType<typeof databaseOf>;

async function replicaThatIs(behindMs: () => number | null) {
  const [primary, replica] = [databaseOf("primary", () => 0), databaseOf("replica", behindMs)];
  const metrics = createMetrics();
  const made = new Replica({ primary, replica, log: silentLog, metrics });
  onTestFinished(() => made.close());
  await made.check();
  const read = () => made.read(async (database) => (database as Named).name);
  const inUse = async () => (await metrics.replicaInUse.get()).values[0]?.value;
  return { made, read, inUse };
}

describe("reports are read", () => {
  test.each([
    ["from the replica that follows the primary", () => 1_000, "replica"],
    ["from the replica whose clock is ahead", () => -500, "replica"],
    [
      "from the primary if the replica is too far behind",
      () => limits.database.replica.behindMaxMs + 1_000,
      "primary",
    ],
    ["from the primary if the replica is of another installation", () => null, "primary"],
    [
      "from the primary if the replica does not answer",
      () => {
        throw unavailable();
      },
      "primary",
    ],
  ])("%s", async (_, behindMs, from) => {
    const { read, inUse } = await replicaThatIs(behindMs);
    expect(await read()).toBe(from);
    expect(await inUse()).toBe(from === "replica" ? 1 : 0);
  });

  test("from the replica again when it follows again", async () => {
    let behindMs = 10 * limits.database.replica.behindMaxMs;
    const { made, read } = await replicaThatIs(() => behindMs);
    expect(await read()).toBe("primary");
    behindMs = 10;
    await made.check();
    expect(await read()).toBe("replica");
  });

  test.each([
    ["fails in the replica", unavailable],
    ["is not there yet", () => new AppError("NOT_FOUND", "There is no such key")],
  ])("from the primary if what is read %s", async (_, failure) => {
    const { made } = await replicaThatIs(() => 0);
    const read = made.read(async (database) => {
      if ((database as Named).name === "replica") throw failure();
      return (database as Named).name;
    });
    expect(await read).toBe("primary");
  });

  test("once only if the request is wrong", async () => {
    const { made } = await replicaThatIs(() => 0);
    const seen: string[] = [];
    const read = made.read(async (database) => {
      seen.push((database as Named).name);
      throw new AppError("BAD_REQUEST", "from: must be a day");
    });
    await expect(read).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(seen).toEqual(["replica"]);
  });
});
