// npm run check: types, lint, import rules and unused code, two at a time, every failure reported.
import { join } from "node:path";
import { binDirectory } from "./setup/paths.mjs";
import { run, withProgress } from "./setup/run.mjs";
import { setUpOrExit } from "./setup.mjs";
import { clearRecords, recordCounts } from "./suites.mjs";

const together = 2;
const checks = [
  { title: "Types", command: "tsc", args: ["--noEmit", "-p", "."] },
  { title: "Lint and format", command: "biome", args: ["check", "."] },
  { title: "Import rules", command: "depcruise", args: ["src", "--config", ".dependency-cruiser.cjs"] },
  { title: "Unused code", command: "knip", args: ["--no-progress"] },
];

clearRecords(["check"]);
await setUpOrExit({});
const failures = [];

async function work(queue) {
  for (let check = queue.shift(); check; check = queue.shift()) {
    const { title, command, args } = check;
    try {
      await withProgress(title, () =>
        run(join(binDirectory, command), args, { advice: "correct what is named." }),
      );
    } catch (error) {
      failures.push(`✖ ${title}: ${error.message}`);
    }
  }
}

const queue = [...checks];
await Promise.all(Array.from({ length: together }, () => work(queue)));
recordCounts("check", {
  passed: checks.length - failures.length,
  failed: failures.length,
  skipped: 0,
  remarks: failures.map((failure) => failure.split("\n")[0]),
});
for (const failure of failures) console.error(`\n${failure}`);
console.log(
  failures.length === 0 ? "\nAll checks passed." : `\n${failures.length} of ${checks.length} checks failed.`,
);
process.exit(failures.length === 0 ? 0 : 1);
