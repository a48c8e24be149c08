import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDirectory } from "#server/platform/project.ts";

export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** As in `_prisma_migrations`. */
  readonly checksum: string;
}

export const migrationsDirectory = join(projectDirectory, "prisma/migrations");

let shipped: readonly Migration[] | undefined;

/** The migrations this program ships, oldest first. Read once, because readiness checks need them often. */
export function shippedMigrations(): readonly Migration[] {
  shipped ??= readMigrations();
  return shipped;
}

function readMigrations(): Migration[] {
  return readdirSync(migrationsDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(`${migrationsDirectory}/${name}/migration.sql`, "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
}
