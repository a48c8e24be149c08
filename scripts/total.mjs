// Prints what failed in the last runs, and as the last line of a log the sum over all suites and checks.
// Its argument is the exit code of those runs: a log must not end with "0 failed" when something did.
import { total } from "./suites.mjs";

console.log(total({ failedElsewhere: process.argv[2] !== "0" }));
