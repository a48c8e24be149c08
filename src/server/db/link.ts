import pg from "pg";
import type { Metrics } from "#server/platform/metrics.ts";
import type { Unavailable } from "#server/platform/unavailable.ts";
import { faultOf, translated } from "./errors.ts";
import type { Pulse } from "./pulse.ts";
import type { Waiting } from "./waiting.ts";

const isReported = (error: unknown): boolean => error instanceof pg.DatabaseError;

const textOf = (first: unknown): string => {
  if (typeof first === "string") return first;
  return typeof first === "object" && first !== null && "text" in first ? String(first.text) : "";
};

type Send = (...args: unknown[]) => Promise<unknown>;

/** The first word of a statement, which begins or ends a transaction. */
const wordOf = (text: string): string => /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? "";

/** What changes data below a `with`. A column or a text of such a name is taken for a change, which errs on the safe side. */
const changeBelow = /\b(?:insert\s+into|update|delete\s+from|merge\s+into)\b/i;

/** Whether a statement outside of a transaction changes data, by its text. */
export function changesData(text: string): boolean {
  const word = wordOf(text);
  if (word === "with") return changeBelow.test(text);
  return word !== "begin" && word !== "select";
}

/**
 * One connection. It counts statements and translates their errors. It sends none after the connection broke or the
 * budget of the request ran out: then a transaction ends with ROLLBACK, not COMMIT.
 */
export class Link {
  /** Set permanently once the connection is unusable. */
  broken: Error | undefined;

  /** Why the connection must not be used again. Undefined if it may. */
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
    // The pool handles errors of idle connections only. One in use fails its statement, and must not end the process.
    client.on("error", () => {});
  }

  /** Lends the connection to a request. The returned function takes it back. */
  lend(waiting: Waiting | undefined): () => void {
    this.#doomed = undefined;
    this.#inTransaction = false;
    this.#waiting = waiting;
    const unsubscribe = waiting?.onOver((error) => {
      this.#doomed = error;
    });
    return () => {
      unsubscribe?.();
      this.#waiting = undefined;
    };
  }

  async #query(args: unknown[]): Promise<unknown> {
    const text = textOf(args[0]);
    const word = wordOf(text);
    if (this.broken) throw translated(this.broken);
    if (this.#doomed && word !== "rollback") {
      // Prisma treats a failed COMMIT as the end of the transaction.
      if (word === "commit") await this.#sendCounted(["ROLLBACK"]);
      throw this.#doomed;
    }
    /** If its answer is lost, it is unknown whether the statement took effect. */
    const decides = word === "commit" || (!this.#inTransaction && changesData(text));
    if (word === "begin") this.#inTransaction = true;
    const decided = decides ? this.#waiting?.decide() : undefined;
    const ends = word === "commit" || word === "rollback";
    try {
      const result = await this.#sendCounted(args);
      if (ends) this.#inTransaction = false;
      return result;
    } catch (error) {
      if (!isReported(error) && faultOf(error)?.answerLost && error instanceof Error) this.broken = error;
      // PostgreSQL rolls back a transaction that it does not commit.
      if (ends && isReported(error)) this.#inTransaction = false;
      const failure = translated(error, { isSent: decides });
      this.#waiting?.met(failure);
      throw failure;
    } finally {
      decided?.();
    }
  }

  #sendCounted(args: unknown[]): Promise<unknown> {
    this.#metrics.statements.inc();
    return this.#pulse.during(this.#send(...args), isReported);
  }
}
