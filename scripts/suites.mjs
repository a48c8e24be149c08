import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { cacheDirectory, root } from "./setup/paths.mjs";

/** Holds `{ passed, failed, skipped, remarks }` of each suite; remarks name what failed or was tried twice. */
export const reportsDirectory = join(cacheDirectory, "reports");

/** Where a suite's own reporter writes. */
export const rawReport = (suite) => join(reportsDirectory, `${suite}.raw.json`);
/** Is there when something failed outside of any test (test/setup/unhandled-errors.ts). */
export const unhandledFile = (suite) => join(reportsDirectory, `${suite}.unhandled`);
export const secondTryOf = (suite) => `${suite}.again`;
const suffix = ".counts.json";
const countsFile = (suite) => join(reportsDirectory, `${suite}${suffix}`);

/** Forgets the results of the named suites, so that an old success is never counted. */
export function clearRecords(suites) {
  mkdirSync(reportsDirectory, { recursive: true });
  for (const suite of suites.flatMap((suite) => [suite, secondTryOf(suite)])) {
    rmSync(rawReport(suite), { force: true });
    rmSync(unhandledFile(suite), { force: true });
    rmSync(countsFile(suite), { force: true });
  }
}

const outcomes = { unexpected: "failed", flaky: "passed at the second try" };
const specsOf = ({ suites = [], specs = [] }) => [...specs, ...suites.flatMap(specsOf)];

const withStatus = (results, wanted) => results.filter(({ status }) => wanted.includes(status));
/** What failed of one file; one that could not be set up or cleared away has no test that failed. */
function failuresOf({ name, status, assertionResults }) {
  const file = relative(root, name);
  const reported = withStatus(assertionResults, ["failed"]).map(({ fullName }) => `${file} › ${fullName}`);
  return status === "failed" && reported.length === 0 ? [file] : reported;
}
const failuresIn = ({ testResults }) =>
  testResults.flatMap(failuresOf).map((failure) => `failed: ${failure}`);

const readers = {
  vitest: (report) => {
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const passed = withStatus(tests, ["passed"]).length;
    const remarks = failuresIn(report);
    const skipped = tests.length - passed - withStatus(tests, ["failed"]).length;
    return { passed, failed: remarks.length, skipped, remarks };
  },
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

/** What vitest and `eventually` say of a time that was missed. */
const tooLate = /timed out in|did not come about within/;

/**
 * The files of a finished vitest suite that failed, when nothing but missed times is the matter with them; else
 * none: what came out wrong is wrong, however often it comes out right.
 */
export function lateFiles(suite) {
  if (!existsSync(rawReport(suite)) || existsSync(unhandledFile(suite))) return [];
  const { testResults } = JSON.parse(readFileSync(rawReport(suite), "utf8"));
  const files = withStatus(testResults, ["failed"]);
  const isLate = ({ message, assertionResults }) => {
    const reported = withStatus(assertionResults, ["failed"]).flatMap(
      ({ failureMessages }) => failureMessages,
    );
    const all = message ? [...reported, message] : reported;
    return all.length > 0 && all.every((text) => tooLate.test(text));
  };
  return files.every(isLate) ? files.map(({ name }) => relative(root, name)) : [];
}

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

/**
 * The counts of a vitest suite of which some files were tried again, ending with `exitCode`. What passed only then
 * stays named.
 */
export function readSecondTry(suite, exitCode) {
  const again = secondTryOf(suite);
  const second = readCounts(again, "vitest", exitCode);
  // Without a report of its own the second try has no result, and the first counts.
  if (!existsSync(rawReport(again))) return readCounts(suite, "vitest", exitCode);
  const [before, after] = [suite, again].map((name) => JSON.parse(readFileSync(rawReport(name), "utf8")));
  const names = new Set(after.testResults.map(({ name }) => name));
  const others = before.testResults.filter(({ name }) => !names.has(name));
  const counts = readers.vitest({ testResults: others });
  const still = new Set(second.remarks);
  const passedNow = failuresIn(before).filter((failure) => !still.has(failure));
  return {
    passed: counts.passed + second.passed,
    failed: counts.failed + second.failed,
    skipped: counts.skipped + second.skipped,
    remarks: [...second.remarks, ...passedNow.map((failure) => failure.replace("failed", outcomes.flaky))],
  };
}

/** Keeps the counts of a suite for `total`. */
export function recordCounts(suite, counts) {
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
