import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/setup/longest-first.ts";
import { postgresAvailable } from "./test/setup/postgres-programs.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const consoleTests = "src/app/**/*.test.{ts,tsx}";
const databaseTests = ["src/**/*.db.test.ts", "test/**/*.db.test.ts"];
const chaosTests = "test/chaos/**";

/**
 * Tests of HTTP, of clients and of providers' protocols, which do not depend on the kind of database: on PostgreSQL if
 * there is one, otherwise on PGlite. What has SQL, locks or transactions of its own runs on both.
 */
const onOneDatabase = [
  "test/guides/clients.db.test.ts",
  ...[
    "aborts",
    "ai-sdk-client",
    "alert-kinds-killed",
    "answer-facts",
    "anthropic-*",
    "bodies",
    "catalogue-cli",
    "cli",
    "client-loops",
    "client-sdks",
    "compaction",
    "completion-fields",
    "completions",
    "config-cli",
    "embeddings",
    "fallback",
    "faults",
    "grants",
    "heartbeat",
    "input-tokens",
    "large-embeddings",
    "legacy-functions",
    "malformed-credentials",
    "message-loops",
    "middle-out",
    "modalities",
    "models",
    "native-responses",
    "openai-client",
    "openrouter-sdk",
    "outward",
    "parameters",
    "pasted-keys",
    "preflight",
    "provider-errors",
    "provider-fields",
    "provider-probe",
    "reasoning-loops",
    "refused-fields",
    "rerank",
    "sandbox-port",
    "several-prompts",
    "slow-clients",
    "thinking-providers",
    "unknown-fields",
    "upgrades",
    "waiting-faults",
  ].map((name) => `test/process/${name}.db.test.ts`),
];

/** Most of the time of a short test file goes into loading the server: a process loads its modules once. */
const sharedModules = { isolate: false, setupFiles: ["./test/setup/mocked-modules.ts"] };

/** The same files on both databases; the global set-up decides which one they use. */
const databaseProject = (name: "pglite" | "postgres", exclude: readonly string[] = []) => ({
  // Next.js needs a build and is not related to the database; the end-to-end suite uses it.
  resolve: { alias: { "#server/http/console.ts": here("./test/setup/no-console.ts") } },
  test: {
    name,
    include: databaseTests,
    exclude: [chaosTests, ...exclude],
    globalSetup: [`./test/setup/${name}.ts`],
    ...sharedModules,
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
      ...sharedModules,
      // Properties run thousands of cases, which is slow on a busy machine.
      testTimeout: 30_000,
    },
  },
  {
    test: {
      name: "console",
      include: [consoleTests],
      environment: "happy-dom",
      // Mantine and React are loaded once, and setupFiles clears the page before each test.
      isolate: false,
      environmentOptions: {
        // A link that was followed would leave the page of the next test at another address.
        happyDOM: {
          url: "http://console.test/",
          settings: { navigation: { disableFallbackToSetURL: true } },
        },
      },
      globalSetup: ["./test/setup/console.ts"],
      setupFiles: ["./test/setup/mocked-modules.ts", "./test/console/setup.ts"],
      testTimeout: 30_000,
    },
  },
  databaseProject("pglite", postgres ? onOneDatabase : []),
  ...(postgres ? [databaseProject("postgres")] : []),
  // Tests that start and kill processes; `npm test` runs them after the build.
  { test: { name: "chaos", include: ["test/chaos/**/*.test.ts"], hookTimeout: 60_000 } },
];

export default defineConfig({
  test: {
    projects,
    // Each test file has a process of its own, which loads the same packages as the others.
    env: { NODE_COMPILE_CACHE: here("./node_modules/.cache/portolan/compiled") },
    // happy-dom has no layout, so every chart has no size.
    onConsoleLog: (log) => !log.includes("width(0) and height(0) of chart"),
    // The reference machine has two cores; more workers only make timings worse.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
