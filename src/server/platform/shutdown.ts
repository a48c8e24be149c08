import type { Log } from "./log.ts";

type Step = { readonly name: string; readonly run: () => Promise<void> | void };

/** Closes what was opened, last opened first. Each step runs even when an earlier one fails. */
export class Shutdown {
  readonly #steps: Step[] = [];
  #closing: Promise<boolean> | undefined;

  /** Registers a step; the returned thing is passed through so that opening and closing stand on one line. */
  add(name: string, run: Step["run"]): void {
    this.#steps.unshift({ name, run });
  }

  /** Runs all steps once. Resolves true when none failed. */
  close(log: Log): Promise<boolean> {
    this.#closing ??= this.#run(log);
    return this.#closing;
  }

  async #run(log: Log): Promise<boolean> {
    let clean = true;
    for (const step of this.#steps) {
      try {
        await step.run();
      } catch (error) {
        clean = false;
        log.error({ event: "shutdown", reason: step.name, error }, "A shutdown step failed");
      }
    }
    return clean;
  }
}
