import pg from "pg";
import { z } from "zod";
import { limits } from "#server/platform/limits.ts";
import { Unavailable, unavailableIn } from "#server/platform/unavailable.ts";

const { retryAfterMs } = limits.database;

/** A kind of temporary failure that the client did not cause. */
export interface DatabaseFault {
  readonly name: string;
  /** SQLSTATE (PostgreSQL, appendix A), Prisma's codes (P…) and system errors (E…). */
  readonly codes: RegExp;
  /** Messages of the driver where it gives no code. */
  readonly words?: RegExp;
  /** The message for clients. It must contain no part of a statement or an address. */
  readonly message: string;
  readonly retryAfterMs: number;
  /** PostgreSQL has rolled back everything, and it can be run again. */
  readonly isConflict?: true;
  /** The answer was lost, so the statement may have been executed. */
  readonly answerLost?: true;
}

/** Every failure that is answered with 503. The first matching row counts. */
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
    // After a failover, connections to the old server may still be open.
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

/** Every code of an error, the database's own first. */
function codesOf(error: Error): string[] {
  const { code, meta } = Coded.parse(error);
  return [meta?.driverAdapterError.cause.originalCode, code].filter((found) => found !== undefined);
}

/** The fault of an error of the driver, Prisma or PostgreSQL. Null for other errors. */
export function faultOf(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null;
  const codes = codesOf(error);
  const isLike = ({ codes: known, words }: DatabaseFault) =>
    codes.some((code) => known.test(code)) || words?.test(error.message) === true;
  return databaseFaults.find(isLike) ?? faultOf(error.cause);
}

/**
 * What an error becomes at the edge of the database: `Unavailable` if it is in the table, else itself. `isSent`: the
 * statement changes data, so it is unknown whether it did if its answer was lost.
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

/** Whether everything was rolled back and can be run again. */
export const isConflict = (error: unknown): boolean => faultOf(error)?.isConflict === true;

/** Whether the database refused the data of a statement (SQLSTATE class 22, 23, 54), and would refuse it again. */
export const isDataRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(22|23|54)\w{3}$/.test(error.code ?? "");

/** Why a connection failed, by system error and SQLSTATE. */
const connectionProblems: Readonly<Record<string, (client: pg.Client) => string>> = {
  "28P01": ({ user }) => `does not accept the password of user ${user}`,
  "28000": ({ user }) => `does not admit user ${user}`,
  "3D000": ({ database }) => `has no database ${database}`,
  "42501": ({ user, database }) => `does not let user ${user} make tables in database ${database}`,
  "53300": () => "has too many connections at the moment",
  "57P03": () => "is not ready to take connections",
};

/** What is wrong with the address of the database. Null if the error has another cause. */
export function connectionProblem(error: unknown, connection: pg.PoolConfig): string | null {
  if (!(error instanceof Error)) return null;
  const [code = ""] = codesOf(error);
  const client = new pg.Client(connection);
  const server = `PostgreSQL at ${client.host}:${client.port}`;
  const problem = connectionProblems[code];
  if (problem) return `${server} ${problem(client)}`;
  if (faultOf(error)?.name !== "connection" && error.message !== "timeout expired") return null;
  return `${server} cannot be reached: ${error.message || code}`;
}
