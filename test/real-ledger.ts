import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { beat, sweepDead } from "#server/billing/credit-leases.ts";
import {
  adjustCredit,
  type Billing,
  type GenerationRow,
  grantCredit,
  type Hold,
  openBilling,
  readBalance,
  refundGeneration,
} from "#server/billing/index.ts";
import { replaySpools } from "#server/billing/replay.ts";
import type { Database } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { createMetrics } from "#server/platform/metrics.ts";
import { unavailableIn } from "#server/platform/unavailable.ts";
import { generationRow, type TestOrganisation } from "./factories.ts";
import { readLedger } from "./ledger.ts";

interface Process {
  readonly billing: Billing;
  readonly instanceId: string;
  readonly directory: string;
  readonly holds: Map<string, { readonly hold: Hold; readonly row: GenerationRow }>;
}

const realMs = clock.monotonicMs;
/** Time that passed in the lives of processes and not in the test. */
let elapsedMs = 0;

/** True when it was done, false when it was refused with `code`. */
async function unlessRefused(code: string, work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === code) return false;
    throw error;
  }
}

/** A loaded machine may take longer than a request waits for its credit: that is no answer yet, so it asks again. */
async function untilAvailable<T>(work: () => Promise<T>, attempts = 10): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempts <= 1 || !unavailableIn(error)) throw error;
    return untilAvailable(work, attempts - 1);
  }
}

const costing = (row: GenerationRow, status: GenerationRow["status"], cost: bigint): GenerationRow => ({
  ...row,
  status,
  cost_pico_eur: cost.toString(),
  cost_pico_usd: cost.toString(),
  upstream_pico_usd: cost.toString(),
});

/** One organisation's money as processes of ours handle it: with spools, leases and a database for each. */
export class RealLedger {
  readonly #databases: readonly Database[];
  readonly #organisation: TestOrganisation;
  readonly #root: string;
  readonly #processes = new Map<number, Process>();
  readonly #dead: Process[] = [];
  readonly #undead: Process[] = [];

  constructor(databases: readonly Database[], organisation: TestOrganisation, directory: string) {
    this.#databases = databases;
    this.#organisation = organisation;
    this.#root = mkdtempSync(join(directory, "ledger-"));
  }

  #on(at = 0): Database {
    const database = this.#databases[at];
    if (!database) throw new Error(`There is no database ${at}`);
    return database;
  }

  /** The process at a place, started if there is none. It books only on request. */
  async #process(at: number): Promise<Process> {
    const known = this.#processes.get(at);
    if (known) return known;
    const directory = mkdtempSync(join(this.#root, "process-"));
    const options = { spoolDirectory: directory, sync: "process" as const };
    const billing = await openBilling(this.#on(at), options, silentLog, createMetrics());
    billing.pauseFlushing();
    const [instanceId = ""] = readdirSync(directory);
    const process = { billing, instanceId, directory, holds: new Map() };
    this.#processes.set(at, process);
    return process;
  }

  read() {
    return readLedger(this.#on(), this.#organisation.orgId);
  }

  async free(): Promise<bigint> {
    return (await readBalance(this.#on(), this.#organisation.orgId)).free;
  }

  /** What is free, and what is leased by the process, in one moment. */
  async within(at: number): Promise<{ free: bigint; lease: bigint }> {
    const { instanceId } = await this.#process(at);
    const [row] = await this.#on().prisma.$queryRaw<{ free: string; lease: string }[]>`
      select (granted_pico_eur - used_pico_eur - leased_pico_eur)::text as free,
        coalesce((select remaining_pico_eur from credit_lease
          where credit_lease.account_id = credit_balance.account_id and instance_id = ${instanceId}::uuid), 0)::text as lease
      from credit_balance where account_id = ${this.#organisation.orgId}::uuid`;
    return { free: BigInt(row?.free ?? "0"), lease: BigInt(row?.lease ?? "0") };
  }

  async grant(amount: bigint): Promise<void> {
    const { caller, orgId } = this.#organisation;
    await this.#on().transaction((tx) => grantCredit(tx, caller, orgId, amount, "For a test"));
  }

  take(amount: bigint): Promise<boolean> {
    const { caller, orgId } = this.#organisation;
    const correction = { orgId, reason: "For a test", amount: -amount };
    return unlessRefused(
      "CONFLICT",
      this.#on().transaction((tx) => adjustCredit(tx, caller, correction)),
    );
  }

  refund(generationId: string): Promise<boolean> {
    const { caller, orgId } = this.#organisation;
    const correction = { orgId, reason: "For a test", generationId };
    return unlessRefused(
      "CONFLICT",
      this.#on().transaction((tx) => refundGeneration(tx, caller, correction)),
    );
  }

  /** The id of the request that was admitted, or null when there was too little. */
  async hold(at: number, amount: bigint): Promise<string | null> {
    const { billing, holds } = await this.#process(at);
    let hold: Hold | undefined;
    const held = await unlessRefused(
      "INSUFFICIENT_QUOTA",
      untilAvailable(async () => {
        hold = await billing.hold(this.#organisation.orgId, amount);
      }),
    );
    if (!held || !hold) return null;
    const row = costing(generationRow(this.#organisation, "0"), "interrupted", 0n);
    await billing.admit(row);
    holds.set(row.id, { hold, row });
    return row.id;
  }

  /** Generations of a process that are not in the database: those under way, and those that ended. */
  async pending(at: number): Promise<number> {
    return (await this.#process(at)).billing.pending();
  }

  async progress(at: number, id: string, cost: bigint): Promise<void> {
    const { billing, holds } = await this.#process(at);
    const held = holds.get(id);
    if (held) await billing.progress(costing(held.row, "interrupted", cost), null);
  }

  async finish(at: number, id: string, status: GenerationRow["status"], cost: bigint): Promise<void> {
    const { billing, holds } = await this.#process(at);
    const held = holds.get(id);
    if (!held) throw new Error(`${id} is not held`);
    holds.delete(id);
    await billing.finish(costing(held.row, status, cost));
    held.hold.release(cost);
  }

  async book(at: number): Promise<void> {
    await (await this.#process(at)).billing.drain();
  }

  /** What it wrote so far stays; nothing it does from now on counts. */
  crash(at: number): void {
    const process = this.#processes.get(at);
    if (!process) return;
    this.#processes.delete(at);
    this.#dead.push(process);
    this.#copySpool(process, "archive");
    this.#copySpool(process, "dead");
  }

  #copySpool({ directory, instanceId }: Process, to: string): void {
    const unlocked = (path: string) => !path.includes("lock.sqlite");
    const from = to === "again" ? join(this.#root, "archive", instanceId) : join(directory, instanceId);
    cpSync(from, join(this.#root, to, instanceId), { recursive: true, filter: unlocked });
  }

  async stop(at: number): Promise<void> {
    const process = this.#processes.get(at);
    this.#processes.delete(at);
    await process?.billing.close();
  }

  /** The dead are found to be dead, and somebody takes their leases back. */
  async expireDead(): Promise<void> {
    await this.#sweep(this.#dead.map(({ instanceId }) => instanceId));
  }

  /** A process that lives is taken for dead: it was paused, and so time has passed. */
  async takeLeasesOf(at: number): Promise<void> {
    const { instanceId } = await this.#process(at);
    await this.#sweep([instanceId]);
    elapsedMs += limits.credit.deadAfterMs;
    vi.spyOn(clock, "monotonicMs").mockImplementation(() => realMs() + elapsedMs);
  }

  async #sweep(instanceIds: readonly string[]): Promise<void> {
    const { others } = await beat(this.#on(), uuidv7(), 1);
    for (const one of others) if (instanceIds.includes(one.instanceId)) await sweepDead(this.#on(), one);
  }

  async replay(): Promise<void> {
    await replaySpools(this.#on(), join(this.#root, "dead"), silentLog);
    this.#undead.push(...this.#dead.splice(0));
  }

  /** All that was ever replayed once more, by two at once. */
  async replayAgain(): Promise<void> {
    if (!existsSync(join(this.#root, "archive"))) return;
    for (const process of this.#undead) this.#copySpool(process, "again");
    const again = join(this.#root, "again");
    await Promise.all([this.#on(0), this.#on(1)].map((on) => replaySpools(on, again, silentLog)));
  }

  /** Also the dead end at last, and book what they still hold in memory, late. */
  async close(): Promise<void> {
    const all = [...this.#processes.values(), ...this.#dead, ...this.#undead];
    this.#processes.clear();
    this.#dead.length = 0;
    this.#undead.length = 0;
    for (const { billing } of all) await billing.close();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
