import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { postgresAvailable } from "./test/setup/postgres-programs.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const consoleTests = "src/app/**/*.test.{ts,tsx}";
const databaseTests = ["src/**/*.db.test.ts", "test/**/*.db.test.ts"];
const chaosTests = "test/chaos/**";

/** Long walks over rules that no database has a part in: on PostgreSQL, and on the embedded database without one. */
const walksOfRules = ["test/process/grants.db.test.ts", "test/process/pasted-keys.db.test.ts"];

/** The same files on either database: the global set-up decides which one they get. */
const databaseProject = (name: "pglite" | "postgres", exclude: readonly string[] = []) => ({
  // Next needs a build and proves nothing about the database; the end-to-end suite runs with it.
  resolve: { alias: { "#server/http/console.ts": here("./test/setup/no-console.ts") } },
  test: {
    name,
    include: databaseTests,
    exclude: [chaosTests, ...exclude],
    globalSetup: [`./test/setup/${name}.ts`],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

const postgres = postgresAvailable();
if (!postgres) {
  process.stderr.write(
    "\n  PostgreSQL was not found (no TEST_DATABASE_URL, no initdb): the project `postgres` is LEFT OUT.\n\n",
  );
}

const projects = [
  {
    test: {
      name: "unit",
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      exclude: [...databaseTests, chaosTests, consoleTests],
      // Properties run thousands of cases; a loaded machine takes its time.
      testTimeout: 30_000,
    },
  },
  {
    test: {
      name: "console",
      include: [consoleTests],
      environment: "happy-dom",
      environmentOptions: { happyDOM: { url: "http://console.test/" } },
      globalSetup: ["./test/setup/console.ts"],
      setupFiles: ["./test/console/setup.ts"],
      // Every file has a page of its own, but Mantine and React are loaded once.
      isolate: false,
      testTimeout: 30_000,
    },
  },
  databaseProject("pglite", postgres ? walksOfRules : []),
  ...(postgres ? [databaseProject("postgres")] : []),
  // Whole processes that are killed; `npm test` runs them after the build.
  { test: { name: "chaos", include: ["test/chaos/**/*.test.ts"], hookTimeout: 60_000 } },
];

export default defineConfig({
  test: {
    projects,
    // happy-dom has no layout, so every chart has no size.
    onConsoleLog: (log) => !log.includes("width(0) and height(0) of chart"),
    // Two cores are what the reference machine has; more workers only make timings worse.
    maxWorkers: 2,
  },
});
