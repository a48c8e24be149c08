import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/** Leaves `UNHANDLED_FILE` behind when errors came up outside of any test: vitest's JSON report is silent about them. */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly { readonly message: string }[]): void {
    const file = process.env.UNHANDLED_FILE;
    if (file && errors.length > 0) writeFileSync(file, errors.map(({ message }) => message).join("\n"));
  }
}
