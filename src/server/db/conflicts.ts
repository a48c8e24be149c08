import { setTimeout as wait } from "node:timers/promises";
import { systemRandom } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { isConflict } from "./errors.ts";
import { currentWaiting } from "./waiting.ts";

const { attemptsMax, pauseMs } = limits.database.conflicts;

/**
 * Runs `work`, and again if PostgreSQL rolled it back because of another transaction (deadlock, serialization). Pauses
 * grow and are random, so that the same two do not collide again. The last conflict is thrown.
 */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === attemptsMax || currentWaiting()?.over) throw error;
      await wait(pauseMs * attempt * (0.5 + systemRandom()));
    }
  }
}
