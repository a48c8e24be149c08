import type pg from "pg";

/** What the global set-up provides to every test file about the database of its project. */
export type ProvidedDatabase =
  | {
      readonly kind: "pglite";
      /** A file with a migrated database to start from. */
      readonly image: string;
    }
  | {
      readonly kind: "postgres";
      /** May create databases. */
      readonly server: pg.ClientConfig;
      /** A migrated database nobody is connected to. */
      readonly template: string;
    };

declare module "vitest" {
  interface ProvidedContext {
    testDatabase: ProvidedDatabase;
  }
}
