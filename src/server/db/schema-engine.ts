import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { SchemaEngine } from "@prisma/schema-engine-wasm";
import type pg from "pg";
import { schemaFiles } from "./migrations.ts";

/**
 * Prisma's schema engine from the registry package, speaking through the driver (design D5).
 * It takes some 450 MB while loaded: only short-lived child processes may import this file.
 */
export function openSchemaEngine(connection: pg.PoolConfig): Promise<SchemaEngine> {
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ ...connection, max: 1 }));
  const datamodels = schemaFiles().map(({ path, content }): [string, string] => [path, content]);
  return SchemaEngine.new({ datamodels }, () => {}, adapter);
}
