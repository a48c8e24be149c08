import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { binDirectory, root } from "./paths.mjs";

const tailLines = 25;
const stillWorkingEveryMs = 15_000;

/** A command that failed, with what a person needs to go on. */
export class StepFailed extends Error {
  /** @param {{ command: string, outcome: string, output: string, advice: string }} facts */
  constructor({ command, outcome, output, advice }) {
    const tail = output.trimEnd().split("\n").slice(-tailLines).join("\n");
    super(`${command}\n  ${outcome}. Its last lines:\n\n${tail}\n\nWhat to do next: ${advice}`);
    this.name = "StepFailed";
  }
}

/** The environment of every child: pinned tools first, no telemetry, no engine downloads. */
export function childEnvironment(extra = {}) {
  return {
    ...process.env,
    PATH: `${binDirectory}${delimiter}${process.env.PATH ?? ""}`,
    // Prisma only checks that this file exists; the migrations use its engine as WebAssembly.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    NEXT_TELEMETRY_DISABLED: "1",
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1",
    ...extra,
  };
}

/**
 * Runs a command to its end and resolves with what it printed.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, timeoutMs?: number, advice?: string }} [options]
 * @returns {Promise<string>} standard output and error, in the order they came
 * @throws {StepFailed} when it cannot start, ends with another code than 0, or takes longer than `timeoutMs`
 */
export function run(command, args, { env, cwd = root, timeoutMs, advice = "read the lines above." } = {}) {
  return new Promise((resolve, reject) => {
    let output = "";
    const shown = [command, ...args].join(" ");
    const fail = (outcome) => reject(new StepFailed({ command: shown, outcome, output, advice }));
    const child = spawn(command, args, {
      cwd,
      env: childEnvironment(env),
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
      timeout: timeoutMs,
    });
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", (error) => fail(`could not be started: ${error.message}`));
    child.on("close", (code, signal) => {
      if (code === 0) resolve(output);
      else fail(signal ? `was stopped by ${signal}` : `ended with code ${code}`);
    });
  });
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/**
 * Says what is being done, does it, and says how long it took.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(title, work) {
  const startedAt = Date.now();
  console.error(`▸ ${title} …`);
  const timer = setInterval(
    () => console.error(`  … still at it after ${seconds(Date.now() - startedAt)}`),
    stillWorkingEveryMs,
  );
  try {
    const result = await work();
    console.error(`  done in ${seconds(Date.now() - startedAt)}`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
