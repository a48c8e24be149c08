// npm run db:migration -- <name>: writes the SQL that leads from the schema of the last migration to today's.
// With --check it writes nothing and fails when the two differ.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { SchemaEngine } from "@prisma/schema-engine-wasm";
import { startEmbedded } from "#server/db/embedded.ts";
import { migrationsDirectory } from "#server/db/migrations.ts";

const schemaDirectory = fileURLToPath(new URL("../prisma/schema", import.meta.url));

const argument = process.argv[2];
const checking = argument === "--check";
if (!argument || !(checking || /^[a-z0-9_]+$/.test(argument))) {
  console.error("Usage: npm run db:migration -- <name_in_snake_case> | --check");
  process.exit(2);
}

const last = `${migrationsDirectory}/schema.prisma`;
const today = readdirSync(schemaDirectory)
  .filter((file) => file.endsWith(".prisma"))
  .sort()
  .map((file) => `${schemaDirectory}/${file}`)
  .map((path) => ({ path, content: readFileSync(path, "utf8") }));
const database = await startEmbedded(null);
// Prisma's schema engine as WebAssembly from its npm package: it takes some 450 MB, and only this script needs it.
const engine = await SchemaEngine.new(
  { datamodels: today.map(({ path, content }) => [path, content]) },
  () => {},
  bindMigrationAwareSqlAdapterFactory(new PrismaPg({ ...database.connection, max: 1 })),
);
const { stdout } = await engine.diff({
  from: existsSync(last)
    ? { tag: "schemaDatamodel", files: [{ path: last, content: readFileSync(last, "utf8") }] }
    : { tag: "empty" },
  to: { tag: "schemaDatamodel", files: today },
  script: true,
  exitCode: null,
  filters: { externalTables: [], externalEnums: [] },
});
const script = stdout ?? "";
if (!/^(create|alter|drop)/im.test(script)) {
  console.log("The schema and the migrations agree.");
  process.exit(0);
}
if (checking) {
  console.error(
    `prisma/schema has changes without a migration; run npm run db:migration -- <name>:\n${script}`,
  );
  process.exit(1);
}
const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
const directory = `${migrationsDirectory}/${stamp}_${argument}`;
mkdirSync(directory, { recursive: true });
writeFileSync(`${directory}/migration.sql`, script);
writeFileSync(last, today.map(({ content }) => content).join("\n"));
console.log(`Wrote ${directory}/migration.sql`);
process.exit(0);
