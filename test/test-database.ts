import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { startEmbedded } from "#server/db/index.ts";
import { databaseUrl } from "./setup/database-url.ts";
import "./setup/provided.ts";

export interface TestDatabase {
  readonly connection: pg.PoolConfig;
  /** The same as a `DATABASE_URL`. */
  readonly url: string;
  close(): Promise<void>;
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
    url: databaseUrl(connection),
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
    return { connection, url: databaseUrl(connection), close };
  }
  const { server, template } = provided;
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  return createOnServer(server, name, empty ? "template0" : template);
}
