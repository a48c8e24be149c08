import pg from "pg";

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
  const code = String((error as { code?: unknown }).code ?? "");
  const client = new pg.Client(connection);
  const server = `PostgreSQL at ${client.host}:${client.port}`;
  const told = connectionProblems[code];
  if (told) return `${server} ${told(client)}`;
  if (!isConnectionFailure(error) && error.message !== "timeout expired") return null;
  return `${server} cannot be reached: ${error.message || code}`;
}
