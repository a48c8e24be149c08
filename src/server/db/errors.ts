import pg from "pg";
import { Prisma } from "#generated/prisma/client.ts";

/** What system, driver and PostgreSQL call a connection that cannot be made, or is gone (class 08, 57P: shut down). */
const connectionCodes =
  /^(E(CONNREFUSED|CONNRESET|NOENT|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN|NOTFOUND)|P1001|P1002|P1017|08\w{3}|57P0[1-3])$/;
const connectionWords = /^(Query read timeout|timeout exceeded when trying to connect|Connection terminated)/;

/** True when the database did not answer, as against having refused. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return (
    (typeof code === "string" && connectionCodes.test(code)) ||
    connectionWords.test(error.message) ||
    isConnectionFailure(error.cause)
  );
}

/** True when the database refused what was in a statement (SQLSTATE class 22, 23, 54): it would refuse it again. */
export const isDataRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(22|23|54)\w{3}$/.test(error.code ?? "");

/** True when a write was refused because a unique value is there already. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
