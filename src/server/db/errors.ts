import pg from "pg";
import { z } from "zod";
import { limits } from "#server/platform/limits.ts";
import { Unavailable, unavailableIn } from "#server/platform/unavailable.ts";

const { retryAfterMs } = limits.database;

/** A kind of failure that is nobody's fault who asked, and passes. */
export interface DatabaseFault {
  readonly name: string;
  /** SQLSTATE (PostgreSQL, appendix A), Prisma's codes (P…) and system errors (E…). */
  readonly codes: RegExp;
  /** What the driver says where it gives no code. */
  readonly words?: RegExp;
  /** What a client is told. Nothing of a statement or an address may be in it. */
  readonly message: string;
  readonly retryAfterMs: number;
  /** PostgreSQL has undone everything and asks to run it again. */
  readonly isConflict?: true;
  /** The answer was lost: what was sent may have been done. */
  readonly answerLost?: true;
}

/** Every failure that is answered with 503. The first row that fits counts. */
export const databaseFaults: readonly DatabaseFault[] = [
  {
    name: "conflict",
    codes: /^(?:40001|40P01|P2034)$/,
    message: "Others are changing the same at the moment",
    retryAfterMs: retryAfterMs.conflict,
    isConflict: true,
  },
  {
    name: "lock",
    codes: /^55P03$/,
    message: "What this needs is locked at the moment",
    retryAfterMs: retryAfterMs.busy,
  },
  {
    name: "slow",
    codes: /^(?:57014|25P03|25P04|P1008)$/,
    message: "The database took too long",
    retryAfterMs: retryAfterMs.busy,
  },
  {
    name: "crowded",
    codes: /^(?:53300|P2024|P2028|P2037)$/,
    words: /^timeout exceeded when trying to connect$/,
    message: "The database has no connection free at the moment",
    retryAfterMs: retryAfterMs.busy,
  },
  {
    name: "resources",
    codes: /^53\w{3}$/,
    message: "The database lacks memory or disk at the moment",
    retryAfterMs: retryAfterMs.unavailable,
  },
  {
    // After a switch to another server the old one may still be asked.
    name: "standby",
    codes: /^25006$/,
    message: "The database takes no changes at the moment",
    retryAfterMs: retryAfterMs.unavailable,
  },
  {
    name: "connection",
    codes:
      /^(?:08\w{3}|57P0[1-5]|P1001|P1002|P1017|E(?:CONNREFUSED|CONNRESET|CONNABORTED|NOENT|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND))$/,
    words: /^(?:Query read timeout|Connection terminated|Client has encountered a connection error)/,
    message: "The database does not answer at the moment",
    retryAfterMs: retryAfterMs.unavailable,
    answerLost: true,
  },
];

/** Where Prisma keeps the code of the database. */
const Coded = z.object({
  code: z.string().optional().catch(undefined),
  meta: z
    .object({ driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }) })
    .optional()
    .catch(undefined),
});

/** Every code an error has, the database's own first. */
function codesOf(error: Error): string[] {
  const { code, meta } = Coded.parse(error);
  return [meta?.driverAdapterError.cause.originalCode, code].filter((found) => found !== undefined);
}

/** The fault that an error of driver, Prisma or PostgreSQL is; null when it is another kind of error. */
export function faultOf(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null;
  const codes = codesOf(error);
  const isLike = ({ codes: known, words }: DatabaseFault) =>
    codes.some((code) => known.test(code)) || words?.test(error.message) === true;
  return databaseFaults.find(isLike) ?? faultOf(error.cause);
}

/**
 * What an error becomes at the edge of the database: `Unavailable` when it is in the table, else itself. `isSent`:
 * what failed would have changed something, and nobody knows whether it did when its answer was lost.
 */
export function translated(error: unknown, { isSent = false } = {}): unknown {
  if (unavailableIn(error)) return error;
  const fault = faultOf(error);
  if (!fault) return error;
  const { message, retryAfterMs: waitMs, answerLost = false } = fault;
  return new Unavailable(message, {
    retryAfterMs: waitMs,
    mayBeDone: isSent && answerLost,
    cause: error,
  });
}

/** Whether everything was undone and may simply be run again. */
export const isConflict = (error: unknown): boolean => faultOf(error)?.isConflict === true;

/** True when the database refused what was in a statement (SQLSTATE class 22, 23, 54): it would refuse it again. */
export const isDataRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(22|23|54)\w{3}$/.test(error.code ?? "");

/** Why no connection was made, by system error and SQLSTATE. */
const connectionProblems: Readonly<Record<string, (client: pg.Client) => string>> = {
  "28P01": ({ user }) => `does not accept the password of user ${user}`,
  "28000": ({ user }) => `does not admit user ${user}`,
  "3D000": ({ database }) => `has no database ${database}`,
  "42501": ({ user, database }) => `does not let user ${user} make tables in database ${database}`,
  "53300": () => "has too many connections at the moment",
  "57P03": () => "is not ready to take connections",
};

/** What is wrong with the address of a database that cannot be used; null when that is not what went wrong. */
export function connectionProblem(error: unknown, connection: pg.PoolConfig): string | null {
  if (!(error instanceof Error)) return null;
  const [code = ""] = codesOf(error);
  const client = new pg.Client(connection);
  const server = `PostgreSQL at ${client.host}:${client.port}`;
  const told = connectionProblems[code];
  if (told) return `${server} ${told(client)}`;
  if (faultOf(error)?.name !== "connection" && error.message !== "timeout expired") return null;
  return `${server} cannot be reached: ${error.message || code}`;
}
