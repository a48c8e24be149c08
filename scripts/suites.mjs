import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { cacheDirectory, root } from "./setup/paths.mjs";

/** One JSON file per suite: `{ passed, failed, skipped, remarks }`; remarks name what failed, or only passed when tried again. */
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

const outcomes = { unexpected: "failed", flaky: "passed at the second try" };
const specsOf = ({ suites = [], specs = [] }) => [...specs, ...suites.flatMap(specsOf)];

const readers = {
  vitest: (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numFailedTestSuites * (report.numFailedTests === 0),
    skipped: report.numPendingTests + report.numTodoTests,
    remarks: report.testResults.flatMap(({ name, status, assertionResults }) => {
      const file = relative(root, name);
      const told = assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName }) => `failed: ${file} › ${fullName}`);
      // A file that could not be set up or cleared away has no test that failed.
      return status === "failed" && told.length === 0 ? [`failed: ${file}`] : told;
    }),
  }),
  playwright: ({ stats, errors, suites }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
    remarks: suites
      .flatMap(specsOf)
      .flatMap(({ file, title, tests }) =>
        tests
          .filter(({ status }) => status in outcomes)
          .map(({ status }) => `${outcomes[status]}: e2e/${file} › ${title}`),
      ),
  }),
};

/**
 * The counts of a finished suite. A suite that left no report, or ended badly without naming a failed
 * test, counts as one failure.
 * @param {string} suite @param {"vitest" | "playwright"} reporter @param {number} exitCode
 */
export function readCounts(suite, reporter, exitCode) {
  let counts = { passed: 0, failed: 0, skipped: 0, remarks: [] };
  try {
    counts = readers[reporter](JSON.parse(readFileSync(rawReport(suite), "utf8")));
  } catch (error) {
    console.error(`The suite ${suite} left no readable report: ${error.message}`);
    counts.failed = 1;
    counts.remarks.push("failed: no report");
  }
  if (exitCode !== 0 && counts.failed === 0) {
    counts.failed = 1;
    counts.remarks.push(`failed: ended with ${exitCode} though no test failed`);
  }
  return counts;
}

/** Keeps the counts of a suite for `total`. */
export function keepCounts(suite, counts) {
  mkdirSync(reportsDirectory, { recursive: true });
  writeFileSync(countsFile(suite), JSON.stringify(counts));
}

/**
 * What to look at, then the line that readers of logs look for, over the named suites or over all that left counts.
 * `failedElsewhere`: something failed that no suite counted (set-up itself), so it counts as one.
 */
export function total({ suites, failedElsewhere = false } = {}) {
  mkdirSync(reportsDirectory, { recursive: true });
  const all = readdirSync(reportsDirectory)
    .filter((name) => name.endsWith(suffix))
    .map((name) => ({ suite: name.slice(0, -suffix.length), path: join(reportsDirectory, name) }))
    .filter(({ suite }) => !suites || suites.includes(suite))
    .map(({ suite, path }) => ({ suite, ...JSON.parse(readFileSync(path, "utf8")) }));
  const sum = (field) => all.reduce((amount, counts) => amount + counts[field], 0);
  const failed = sum("failed") || (failedElsewhere ? 1 : 0);
  const skipped = sum("skipped");
  const remarks = all.flatMap(({ suite, remarks = [] }) => remarks.map((remark) => `${suite}: ${remark}`));
  const line = `${sum("passed")} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`;
  return [...remarks, line].join("\n");
}
