import pg from "pg";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Unavailable } from "#server/platform/unavailable.ts";
import { faultOf, translated } from "./errors.ts";
import type { Pulse } from "./pulse.ts";
import type { Waiting } from "./waiting.ts";

const isTold = (error: unknown): boolean => error instanceof pg.DatabaseError;

const textOf = (first: unknown): string => {
  if (typeof first === "string") return first;
  return typeof first === "object" && first !== null && "text" in first ? String(first.text) : "";
};

type Send = (...args: unknown[]) => Promise<unknown>;

/** Begins and ends transactions, by the first word of a statement. */
const wordOf = (text: string): string => /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? "";

/**
 * One connection. Statements on it are counted, their errors translated, and none is sent once the connection is
 * broken or whoever waited has been told that it took too long: then a transaction ends with ROLLBACK, not COMMIT.
 */
export class Link {
  /** Set for good once nothing can be asked over it any more. */
  broken: Error | undefined;

  /** Why it must not be lent again; undefined when it may. */
  unfit(): Error | undefined {
    return this.broken ?? (this.#inTransaction ? new Error("A transaction was left open") : undefined);
  }

  #doomed: Unavailable | undefined;
  #inTransaction = false;
  #waiting: Waiting | undefined;
  readonly #send: Send;
  readonly #metrics: Metrics;
  readonly #pulse: Pulse;

  constructor(client: pg.ClientBase, metrics: Metrics, pulse: Pulse) {
    this.#metrics = metrics;
    this.#pulse = pulse;
    const query = client.query.bind(client) as unknown as Send;
    this.#send = query;
    client.query = ((...args: unknown[]) =>
      typeof args.at(-1) === "function" ? query(...args) : this.#query(args)) as typeof client.query;
    // The pool hears of idle connections only; one that breaks in use fails its statement, and must not end the process.
    client.on("error", () => {});
  }

  /** Lends the connection to a request. What is returned takes it back. */
  lend(waiting: Waiting | undefined): () => void {
    this.#doomed = undefined;
    this.#inTransaction = false;
    this.#waiting = waiting;
    const forget = waiting?.onOver((error) => {
      this.#doomed = error;
    });
    return () => {
      forget?.();
      this.#waiting = undefined;
    };
  }

  async #query(args: unknown[]): Promise<unknown> {
    const word = wordOf(textOf(args[0]));
    if (this.broken) throw translated(this.broken);
    if (this.#doomed && word !== "rollback") {
      // Prisma takes a COMMIT that failed for the end of the transaction.
      if (word === "commit") await this.#sendCounted(["ROLLBACK"]);
      throw this.#doomed;
    }
    /** Nobody knows what became of it when its answer is lost. */
    const decides = word === "commit" || (!this.#inTransaction && word !== "begin" && word !== "select");
    if (word === "begin") this.#inTransaction = true;
    const settled = decides ? this.#waiting?.decide() : undefined;
    const ends = word === "commit" || word === "rollback";
    try {
      const result = await this.#sendCounted(args);
      if (ends) this.#inTransaction = false;
      return result;
    } catch (error) {
      if (!isTold(error) && faultOf(error)?.answerLost && error instanceof Error) this.broken = error;
      // PostgreSQL undoes a transaction that it does not commit.
      if (ends && isTold(error)) this.#inTransaction = false;
      const failure = translated(error, { isSent: decides });
      this.#waiting?.met(failure);
      throw failure;
    } finally {
      settled?.();
    }
  }

  #sendCounted(args: unknown[]): Promise<unknown> {
    this.#metrics.statements.inc();
    return this.#pulse.during(this.#send(...args), isTold);
  }
}
