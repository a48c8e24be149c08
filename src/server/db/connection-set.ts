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

const { queue, retryAfterMs, unavailableAfterMs, pauseTimeoutMs } = limits.database;

export type ConnectionLimits = typeof limits.database.interactive | typeof limits.database.background;

interface ConnectionSetDeps {
  readonly connection: pg.PoolConfig;
  readonly connectionLimits: ConnectionLimits;
  /** How many of the connections one holder may have at once. */
  readonly connectionsMaxPerHolder: number;
  /** Whether interactive work fails immediately while the database is unavailable. */
  readonly failsFast: boolean;
  readonly pulse: Pulse;
  readonly metrics: Metrics;
  readonly log: Log;
}

const crowded = () =>
  new Unavailable("Too many requests wait for the database", { retryAfterMs: retryAfterMs.busy });
const unavailable = () =>
  new Unavailable("The database does not answer at the moment", { retryAfterMs: retryAfterMs.unavailable });

/** A set of connections with a fair queue in front of it. */
export class ConnectionSet {
  readonly #deps: ConnectionSetDeps;
  readonly #pool: pg.Pool;
  readonly #gate: FairGate;
  readonly #links = new WeakMap<pg.ClientBase, Link>();

  constructor(deps: ConnectionSetDeps) {
    const { connection, connectionLimits, connectionsMaxPerHolder, metrics, pulse, log } = deps;
    this.#deps = deps;
    this.#pool = new pg.Pool({
      connectionTimeoutMillis: connectionLimits.connectTimeoutMs,
      statement_timeout: connectionLimits.statementTimeoutMs,
      lock_timeout: connectionLimits.lockTimeoutMs,
      idle_in_transaction_session_timeout: pauseTimeoutMs,
      query_timeout: connectionLimits.silentMs,
      // Compiling a statement over many partitions takes seconds, and running it a tenth of that.
      options: "-c jit=off",
      keepAlive: true,
      ...connection,
      max: connectionLimits.connectionsMax,
    });
    this.#gate = new FairGate({
      slots: connectionLimits.connectionsMax,
      slotsPerHolder: connectionsMaxPerHolder,
      waitingMax: queue.waitingMax,
      waitingMaxPerHolder: queue.waitingMaxPerHolder,
    });
    this.#pool.on("error", (error) =>
      log.warn({ event: "database", error }, "An idle database connection broke"),
    );
    this.#pool.on("connect", (client) => this.#links.set(client, new Link(client, metrics, pulse)));
  }

  /** A connection for a transaction, returned with `release`. Throws `Unavailable`. */
  async connect(): Promise<pg.PoolClient> {
    const waiting = currentWaiting();
    const { failsFast, pulse, connectionLimits } = this.#deps;
    if (failsFast && waiting && !waiting.probes && pulse.silentMs() > unavailableAfterMs) throw unavailable();
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
    }, connectionLimits.queueTimeoutMs);
    void place.granted.then(() => clearTimeout(timer));
    const first = Promise.race([obtained, late]).finally(() => clearTimeout(timer));
    return waiting ? waiting.for(first, giveUp) : first;
  }

  /** A single statement. */
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
    const client = await this.#deps.pulse.during(this.#pool.connect());
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
