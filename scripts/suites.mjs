import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory } from "./setup/paths.mjs";

/** One JSON file per suite: `{ passed, failed, skipped }`. */
export const reportsDirectory = join(cacheDirectory, "reports");

/** Where a suite's own reporter writes. */
export const rawReport = (suite) => join(reportsDirectory, `${suite}.raw.json`);
const suffix = ".counts.json";
const countsFile = (suite) => join(reportsDirectory, `${suite}${suffix}`);

/** Forgets the results of the named suites, so that an old success is never counted. */
export function forget(suites) {
  mkdirSync(reportsDirectory, { recursive: true });
  for (const suite of suites) {
    rmSync(rawReport(suite), { force: true });
    rmSync(countsFile(suite), { force: true });
  }
}

const readers = {
  vitest: (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numFailedTestSuites * (report.numFailedTests === 0),
    skipped: report.numPendingTests + report.numTodoTests,
  }),
  playwright: ({ stats, errors }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  }),
};

/**
 * The counts of a finished suite. A suite that left no report, or ended badly without naming a failed
 * test, counts as one failure.
 * @param {string} suite @param {"vitest" | "playwright"} reporter @param {number} exitCode
 */
export function readCounts(suite, reporter, exitCode) {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    counts = readers[reporter](JSON.parse(readFileSync(rawReport(suite), "utf8")));
  } catch (error) {
    console.error(`The suite ${suite} left no readable report: ${error.message}`);
    counts.failed = 1;
  }
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

/** Keeps the counts of a suite for `total`. */
export function keepCounts(suite, counts) {
  mkdirSync(reportsDirectory, { recursive: true });
  writeFileSync(countsFile(suite), JSON.stringify(counts));
}

/**
 * The line that readers of logs look for, over the named suites, or over all that left counts.
 * `failedElsewhere`: something failed that no suite counted (set-up itself), so it counts as one.
 */
export function total({ suites, failedElsewhere = false } = {}) {
  mkdirSync(reportsDirectory, { recursive: true });
  const all = readdirSync(reportsDirectory)
    .filter((name) => name.endsWith(suffix))
    .filter((name) => !suites || suites.includes(name.slice(0, -suffix.length)))
    .map((name) => JSON.parse(readFileSync(join(reportsDirectory, name), "utf8")));
  const sum = (field) => all.reduce((amount, counts) => amount + counts[field], 0);
  const failed = sum("failed") || (failedElsewhere ? 1 : 0);
  const skipped = sum("skipped");
  return `${sum("passed")} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`;
}
