import type { Services } from "#server/api/services.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";

const { awayAfterMs, awayCheckMs } = limits.database;

/**
 * The outcome of work that asks the database; throws SERVICE_UNAVAILABLE as soon as that is known to answer nobody,
 * long before its connections are given up (T04). What was begun goes on, and ends as it may.
 */
export async function unlessAway<T>(
  { databaseSilentMs, log }: Pick<Services, "databaseSilentMs" | "log">,
  work: Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let givenUp = false;
  let silentBefore = false;
  const timer = setInterval(() => {
    const silent = databaseSilentMs() > awayAfterMs;
    // A process that was paused sees its own absence first: who was silent is told by the look after that.
    if (silent && silentBefore) {
      givenUp = true;
      clearInterval(timer);
      reject(
        new AppError("SERVICE_UNAVAILABLE", "The database does not answer at the moment", {
          headers: { "retry-after": "5" },
        }),
      );
    }
    silentBefore = silent;
  }, awayCheckMs);
  work.then(resolve, (error: unknown) => {
    if (givenUp) log.warn({ event: "database", error }, "What was answered with 503 meanwhile has failed");
    else reject(error);
  });
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
