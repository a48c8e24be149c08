// Applies the shipped migrations and ends. Started by migrate.ts; the connection comes on standard input.
import { text } from "node:stream/consumers";
import { migrationList } from "./migrations.ts";
import { openSchemaEngine } from "./schema-engine.ts";

const engine = await openSchemaEngine(JSON.parse(await text(process.stdin)));
const { appliedMigrationNames } = await engine.applyMigrations({
  migrationsList: migrationList(),
  filters: { externalTables: [], externalEnums: [] },
});
process.stdout.write(JSON.stringify(appliedMigrationNames));
process.exit(0);
