import { parentPort } from "node:worker_threads";
import type { FilterRules } from "#contract/destination-filter.ts";
import { type FilterValues, passes } from "./evaluate.ts";

/** A search for the filter thread. */
export interface FilterQuestion {
  readonly rules: FilterRules;
  readonly values: FilterValues;
}

/** Its result. The first message, without a search, says that the thread is running. */
export interface FilterAnswer {
  readonly passes: boolean;
  /** Processor time the thread has used so far, in milliseconds. */
  readonly cpuMs: number;
}

function answer(passes: boolean): void {
  const { user, system } = process.threadCpuUsage();
  parentPort?.postMessage({ passes, cpuMs: (user + system) / 1000 } satisfies FilterAnswer);
}

parentPort?.on("message", ({ rules, values }: FilterQuestion) => answer(passes(rules, values)));
answer(false);
