import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { beginRequests } from "./begin-requests.ts";
import { rotateKey } from "./rotate-key.ts";
import { type SequenceDeps, sequence } from "./sequence.ts";

const { everyMs } = limits.transparency;

interface Work {
  readonly org_id: string;
  /** Its log is signed with a key that is being replaced. */
  readonly rotates: boolean;
  /** Its first requests are added. */
  readonly begins: boolean;
}

/** Organisations with rows or generations that are in no log, and those with a log whose key is being replaced. */
const selectWork = `
  select org_id, bool_or(rotates) as rotates, bool_or(begins) as begins from (
    select head.org_id, false as rotates, false as begins from audit_head as head
    left join log_tree as tree using (org_id) where head.position > coalesce(tree.audit_position, 0)
    union all
    select org_id, false, not coalesce(tree.has_requests, false)
    from (select distinct org_id from log_pending) as pending left join log_tree as tree using (org_id)
    union all
    select org_id, true, false from log_tree where signed_with = any($1::text[])
  ) as work group by org_id`;

/** Appends what is new to the transparency logs, in the background. Every process tries; one at a time does it. */
export class Sequencer {
  readonly #deps: SequenceDeps;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;
  /** Logs that are reported already: their stored tree is not the one that was signed. */
  readonly #changed = new Set<string>();
  #failing = false;

  constructor(deps: SequenceDeps, log: Log) {
    this.#deps = deps;
    this.#log = log;
    this.#timer = setInterval(() => void this.#tick(), everyMs).unref();
  }

  /** A run is not started while another one is under way. */
  async #tick(): Promise<void> {
    if (this.#running) return;
    try {
      await this.run();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing)
        this.#log.warn({ event: "transparency", error }, "The transparency log is behind; it is tried again");
      this.#failing = true;
    }
  }

  /** Appends everything that was committed before the call. */
  async run(): Promise<void> {
    await this.#running?.catch(() => {});
    this.#running = this.#sequenceAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #sequenceAll(): Promise<void> {
    const { database, signer } = this.#deps;
    const found = await database.statement<Work & Record<string, unknown>>(selectWork, [signer.previousIds]);
    const errors: unknown[] = [];
    for (const work of found)
      await this.#sequenceOne(work).catch((error: unknown) => void errors.push(error));
    // One log that fails does not hold up the others.
    if (errors.length > 0) throw errors[0];
  }

  async #sequenceOne({ org_id: orgId, rotates, begins }: Work): Promise<void> {
    if (rotates) await rotateKey(this.#deps, orgId);
    if (begins) await beginRequests(this.#deps, orgId);
    let state = await sequence(this.#deps, orgId);
    while (state === "more") state = await sequence(this.#deps, orgId);
    if (state === "changed") this.#reportChanged(orgId);
  }

  #reportChanged(orgId: string): void {
    if (this.#changed.has(orgId)) return;
    this.#changed.add(orgId);
    this.#log.error(
      { event: "transparency" },
      `The transparency log of the organisation ${orgId} is not the one that was signed, so nothing is added to it. Run npm run audit:verify`,
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running?.catch(() => {});
  }
}
