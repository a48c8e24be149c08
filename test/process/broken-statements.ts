import pg from "pg";
import { currentOrigin } from "#server/audit/origin.ts";
import { currentWaiting } from "#server/db/waiting.ts";

/** Whether a statement belongs to the authentication of the session or to the procedure. */
type Place = "recognition" | "procedure";

interface Broken {
  /** How many statements failed. */
  readonly count: () => number;
  restore(): void;
}

const textOf = (first: unknown): string =>
  typeof first === "string" ? first : String((first as { text?: unknown }).text ?? "");

/** Statements of the process itself, outside of requests, do not fail. */
const own = new Set(["configuration", "rates", "health"]);

type Choose = (text: string, place: Place) => Error | null;

let choosing: Choose | null = null;

// Installed before the first connection is made, because each keeps the function it finds.
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function chosen(this: pg.Client, ...args: unknown[]) {
  const waiting = currentWaiting();
  // The job queue's own connections are asked with callbacks.
  const isOurs = waiting !== undefined && !own.has(waiting.holder) && typeof args.at(-1) !== "function";
  const place = currentOrigin() ? "procedure" : "recognition";
  const error = isOurs ? (choosing?.(textOf(args[0]), place) ?? null) : null;
  if (!error) return Reflect.apply(query, this, args);
  // A transaction that PostgreSQL does not commit is over.
  if (!/^commit/i.test(textOf(args[0]))) return Promise.reject(error);
  return Reflect.apply(query, this, ["ROLLBACK"]).then(() => Promise.reject(error));
} as typeof query;

/**
 * Lets statements of requests fail before they reach the database. `choose` gets the statement's text and its origin;
 * what it returns is thrown.
 */
export function breakStatements(choose: Choose): Broken {
  let count = 0;
  choosing = (text, place) => {
    const error = choose(text, place);
    if (error) count++;
    return error;
  };
  return {
    count: () => count,
    restore: () => {
      choosing = null;
    },
  };
}

/** Part of every error, to detect leaks. */
export const leaked = "select secret_column from hidden_table";

const sqlState = (code: string): Error =>
  Object.assign(new pg.DatabaseError(`failed: ${leaked}`, 0, "error"), { code, severity: "ERROR" });
const system = (code: string): Error =>
  Object.assign(new Error(`${code} ${leaked}`), { code, syscall: "connect", errno: -1 });

/** One error for each kind of temporary unavailability. */
export const passingErrors: Readonly<Record<string, () => Error>> = {
  "40001 serialization failure": () => sqlState("40001"),
  "40P01 deadlock": () => sqlState("40P01"),
  "55P03 lock timeout": () => sqlState("55P03"),
  "57014 statement timeout": () => sqlState("57014"),
  "57P01 admin shutdown": () => sqlState("57P01"),
  "57P03 starting up": () => sqlState("57P03"),
  "53300 too many connections": () => sqlState("53300"),
  "53200 out of memory": () => sqlState("53200"),
  "53100 disk full": () => sqlState("53100"),
  "08006 connection failure": () => sqlState("08006"),
  "25006 read only": () => sqlState("25006"),
  ECONNREFUSED: () => system("ECONNREFUSED"),
  ECONNRESET: () => system("ECONNRESET"),
  "a silent connection": () => new Error("Query read timeout"),
  "a connection that ended": () => new Error("Connection terminated unexpectedly"),
};
