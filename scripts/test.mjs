// npm test [-- suite ...]: sets up what the tests need, runs the suites one after the other, adds up.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { binDirectory, root } from "./setup/paths.mjs";
import { childEnvironment } from "./setup/run.mjs";
import { setUpOrExit } from "./setup.mjs";
import {
  clearRecords,
  lateFiles,
  rawReport,
  readCounts,
  readSecondTry,
  recordCounts,
  secondTryOf,
  total,
  unhandledFile,
} from "./suites.mjs";

/** With more failed files than this something is broken, and a second try is useless. */
const filesTriedAgainMax = 5;
const unhandledErrors = "./test/setup/unhandled-errors.ts";
const vitest = (suite, project = suite, ...files) => {
  const run = (report, only, ...flags) => {
    const reporters = ["default", "json", unhandledErrors].map((name) => `--reporter=${name}`);
    const output = `--outputFile.json=${rawReport(report)}`;
    return ["run", "--project", project, ...flags, ...only, ...reporters, output];
  };
  return {
    suite,
    reporter: "vitest",
    command: "vitest",
    args: run(suite, files),
    env: { UNHANDLED_FILE: unhandledFile(suite) },
    /** The same for some files, one after the other with the machine to themselves. */
    argsAgain: (failed) => run(secondTryOf(suite), failed, "--no-file-parallelism"),
  };
};

/** As test/setup/postgres-programs.ts, which an old Node cannot read. */
function hasPostgres() {
  if (process.env.TEST_DATABASE_URL) return true;
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian).map((version) => join(debian, version, "bin"))
    : [];
  const folders = [...versions, ...(process.env.PATH ?? "").split(delimiter)];
  return folders.some((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

const suites = [
  vitest("unit"),
  vitest("console"),
  vitest("pglite"),
  {
    ...vitest("postgres", "postgres", "--maxWorkers=3"),
    possible: hasPostgres,
    lacking: "no PostgreSQL on this machine",
  },
  {
    ...vitest("chaos"),
    possible: () => existsSync(join(root, "test/chaos")),
    lacking: "test/chaos holds nothing yet",
  },
  {
    suite: "e2e",
    reporter: "playwright",
    command: "playwright",
    args: ["test", "--reporter=list,json"],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: rawReport("e2e") },
  },
];
/** Run only when they are asked for by name. */
const onRequest = [
  {
    ...vitest("money", "postgres", "src/server/billing/ledger-model.db.test.ts"),
    possible: hasPostgres,
    lacking: "no PostgreSQL on this machine",
    env: { MONEY_MODEL: "long", UNHANDLED_FILE: unhandledFile("money") },
  },
  {
    ...vitest("budgets", "postgres", "src/server/budgets/budgets-model.db.test.ts"),
    possible: hasPostgres,
    lacking: "no PostgreSQL on this machine",
    env: { BUDGET_STEPS: "10000", UNHANDLED_FILE: unhandledFile("budgets") },
  },
  {
    ...vitest("starts", "chaos", "test/chaos/killed-starts.test.ts"),
    env: { STARTS: "long", UNHANDLED_FILE: unhandledFile("starts") },
  },
  {
    ...vitest("bodies", "chaos", "test/chaos/bodies.test.ts"),
    env: { BODIES: "long", UNHANDLED_FILE: unhandledFile("bodies") },
  },
  {
    ...vitest("receipts", "chaos", "test/chaos/receipts.test.ts"),
    possible: hasPostgres,
    lacking: "no PostgreSQL on this machine",
    env: { RECEIPTS: "long", UNHANDLED_FILE: unhandledFile("receipts") },
  },
  {
    ...vitest("replays", "postgres", "test/process/replays.db.test.ts"),
    possible: hasPostgres,
    lacking: "no PostgreSQL on this machine",
    env: { REPLAYS: "long", UNHANDLED_FILE: unhandledFile("replays") },
  },
  vitest("connections", "chaos", "test/chaos/many-connections.test.ts"),
];
const groups = { db: ["pglite", "postgres"] };

const asked = process.argv.slice(2).flatMap((name) => groups[name] ?? [name]);
const unknown = asked.filter((name) => ![...suites, ...onRequest].some(({ suite }) => suite === name));
if (unknown.length > 0) {
  console.error(
    `No suite is called ${unknown.join(", ")}; there are ${[...suites, ...onRequest].map(({ suite }) => suite).join(", ")}, db.`,
  );
  process.exit(2);
}
const chosen =
  asked.length === 0 ? suites : [...suites, ...onRequest].filter(({ suite }) => asked.includes(suite));

const endToEnd = chosen.some(({ suite }) => suite === "e2e");
clearRecords([...suites, ...onRequest].map(({ suite }) => suite));
await setUpOrExit({ tests: endToEnd, production: endToEnd });

let failed = false;
for (const { suite, reporter, command, args, argsAgain, env, possible = () => true, lacking } of chosen) {
  if (!possible()) {
    console.log(`\n── ${suite}: left out, ${lacking}`);
    continue;
  }
  console.log(`\n── ${suite}`);
  const run = (given) =>
    spawnSync(join(binDirectory, command), given, {
      cwd: root,
      stdio: "inherit",
      // Named on the command line, a suite with a long form runs it.
      env: childEnvironment({ ...env, ...(asked.includes(suite) && { CHAOS: "long" }) }),
      shell: process.platform === "win32",
    }).status ?? 1;
  const exitCode = run(args);
  // On two cores that everything shares, a test may miss its time: what misses it alone as well is broken.
  const files = argsAgain && exitCode !== 0 ? lateFiles(suite) : [];
  const again = files.length > 0 && files.length <= filesTriedAgainMax;
  if (again) console.log(`\n── ${suite}, a second try of ${files.join(", ")}`);
  const counts = again ? readSecondTry(suite, run(argsAgain(files))) : readCounts(suite, reporter, exitCode);
  recordCounts(suite, counts);
  failed ||= counts.failed > 0;
}
console.log(`\n${total({ suites: chosen.map(({ suite }) => suite) })}`);
process.exit(failed ? 1 : 0);
