import type pg from "pg";

/** A connection as a `DATABASE_URL` names it. */
export function databaseUrl({
  host = "",
  port = 5432,
  user = "",
  password,
  database = "",
}: pg.ClientConfig): string {
  const secret = typeof password === "string" && password ? `:${encodeURIComponent(password)}` : "";
  const person = `${encodeURIComponent(user)}${secret}`;
  return `postgresql://${person}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
