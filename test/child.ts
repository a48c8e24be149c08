import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("..", import.meta.url));

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** Ends it as a power failure would, and resolves once the kernel has let go of all it held. */
  kill(): Promise<void>;
}

/** Another process that runs `code`, a module that may import the server; gone after the test. */
export function runInChild(code: string): Child {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "--eval", code], {
    cwd: repository,
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return { process: child, kill };
}

/** Resolves with the first thing the child prints; rejects with its complaint when it ends before. */
export async function firstOutput({ process: child }: Child): Promise<string> {
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const printed = once(child.stdout, "data").then(([chunk]) => String(chunk));
  const ended = once(child, "close").then(() => Promise.reject(new Error(`The child ended:\n${complaint}`)));
  return Promise.race([printed, ended]);
}
