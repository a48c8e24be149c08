import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { startEmbedded } from "#server/db/index.ts";
import "./setup/provided.ts";

export interface TestDatabase {
  readonly connection: pg.PoolConfig;
  /** The same as a `DATABASE_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

function urlOf({ host = "", port = 5432, user = "", password, database = "" }: pg.ClientConfig): string {
  const secret = typeof password === "string" && password ? `:${encodeURIComponent(password)}` : "";
  const person = `${encodeURIComponent(user)}${secret}`;
  return `postgresql://${person}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

/** Which database the running project tests on. */
export const databaseKind = (): "pglite" | "postgres" => inject("testDatabase").kind;

async function createOnServer(
  server: pg.ClientConfig,
  name: string,
  template: string,
): Promise<TestDatabase> {
  const administrator = new pg.Client(server);
  await administrator.connect();
  await administrator.query(`create database "${name}" template "${template}"`);
  const connection = { ...server, database: name };
  return {
    connection,
    url: urlOf(connection),
    async close() {
      await administrator.query(`drop database "${name}" with (force)`);
      await administrator.end();
    },
  };
}

/** A database nobody else has, migrated unless it is asked for empty. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const provided = inject("testDatabase");
  if (provided.kind === "pglite") {
    const { connection, close } = await startEmbedded(null, { image: empty ? null : provided.image });
    return { connection, url: urlOf(connection), close };
  }
  const { server, template } = provided;
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  return createOnServer(server, name, empty ? "template0" : template);
}
