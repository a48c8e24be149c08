import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import pg from "pg";
import { installation } from "./installation.ts";

/** How to connect to the embedded database of the installation under test. */
export function embeddedConnection() {
  const [socket] = globSync(join(installation.dataDir, "*", ".s.PGSQL.5432"));
  if (!socket) throw new Error("The installation under test has no embedded database");
  return { host: dirname(socket), user: "postgres", database: "postgres" };
}

/** Asks the embedded database of the installation under test, for what no operation does: moving its clock. */
export async function query(
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(embeddedConnection());
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
