import pg from "pg";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { Metrics } from "#server/platform/metrics.ts";
import { Unavailable } from "#server/platform/unavailable.ts";
import { repeated } from "./conflicts.ts";
import { translated } from "./errors.ts";
import { FairGate, type Place } from "./fair-gate.ts";
import { Link } from "./link.ts";
import type { Pulse } from "./pulse.ts";
import { currentWaiting, type Waiting } from "./waiting.ts";

const { queue, retryAfterMs, awayAfterMs, pauseTimeoutMs } = limits.database;

export type LaneLimits = typeof limits.database.interactive | typeof limits.database.background;

interface LaneParts {
  readonly connection: pg.PoolConfig;
  readonly laneLimits: LaneLimits;
  /** How many of the connections one holder may have at once. */
  readonly connectionsMaxPerHolder: number;
  /** Whether a database that has answered nobody for a while is not waited for. */
  readonly failsFast: boolean;
  readonly pulse: Pulse;
  readonly metrics: Metrics;
  readonly log: Log;
}

const crowded = () =>
  new Unavailable("Too many requests wait for the database", { retryAfterMs: retryAfterMs.busy });
const silent = () =>
  new Unavailable("The database does not answer at the moment", { retryAfterMs: retryAfterMs.away });

/** Some connections of their own, with a fair queue in front of them. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #pool: pg.Pool;
  readonly #gate: FairGate;
  readonly #links = new WeakMap<pg.ClientBase, Link>();

  constructor(parts: LaneParts) {
    const { connection, laneLimits, connectionsMaxPerHolder, metrics, pulse, log } = parts;
    this.#parts = parts;
    this.#pool = new pg.Pool({
      connectionTimeoutMillis: laneLimits.connectTimeoutMs,
      statement_timeout: laneLimits.statementTimeoutMs,
      lock_timeout: laneLimits.lockTimeoutMs,
      idle_in_transaction_session_timeout: pauseTimeoutMs,
      query_timeout: laneLimits.silentMs,
      keepAlive: true,
      ...connection,
      max: laneLimits.connectionsMax,
    });
    this.#gate = new FairGate({
      slots: laneLimits.connectionsMax,
      slotsPerHolder: connectionsMaxPerHolder,
      waitingMax: queue.waitingMax,
      waitingMaxPerHolder: queue.waitingMaxPerHolder,
    });
    this.#pool.on("error", (error) =>
      log.warn({ event: "database", error }, "An idle database connection broke"),
    );
    this.#pool.on("connect", (client) => this.#links.set(client, new Link(client, metrics, pulse)));
  }

  /** A connection for a transaction; it goes back with `release`. Throws `Unavailable`. */
  async connect(): Promise<pg.PoolClient> {
    const waiting = currentWaiting();
    const { failsFast, pulse, laneLimits } = this.#parts;
    if (failsFast && waiting && !waiting.probes && pulse.silentMs() > awayAfterMs) throw silent();
    const place = this.#gate.enter(waiting?.holder ?? "");
    if (!place) throw crowded();
    let isGivenUp = false;
    const giveUp = () => {
      isGivenUp = true;
      place.leave();
    };
    const obtained = this.#obtain(place, waiting, () => isGivenUp).catch((error: unknown) => {
      place.leave();
      throw translated(error);
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      giveUp();
      reject(crowded());
    }, laneLimits.queueTimeoutMs);
    void place.granted.then(() => clearTimeout(timer));
    const first = Promise.race([obtained, late]).finally(() => clearTimeout(timer));
    return waiting ? waiting.for(first, giveUp) : first;
  }

  /** One statement by itself. */
  async query(args: unknown[]): Promise<unknown> {
    const run = async () => {
      const client = await this.connect();
      try {
        return await (client.query as (...args: unknown[]) => Promise<unknown>)(...args);
      } finally {
        client.release();
      }
    };
    const waiting = currentWaiting();
    return waiting ? waiting.for(repeated(run)) : repeated(run);
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #obtain(place: Place, waiting: Waiting | undefined, isGivenUp: () => boolean) {
    await place.granted;
    const client = await this.#parts.pulse.during(this.#pool.connect());
    const link = this.#links.get(client);
    const takeBack = link?.lend(waiting);
    const release = client.release.bind(client);
    client.release = (error) => {
      takeBack?.();
      place.leave();
      release(error || link?.unfit());
    };
    if (isGivenUp()) {
      client.release();
      throw crowded();
    }
    return client;
  }
}
