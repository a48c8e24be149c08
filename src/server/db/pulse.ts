import { clock } from "#server/platform/clock.ts";

/** When the database last answered while statements were pending. */
export class Pulse {
  #pending = 0;
  #sinceMs = 0;

  /** Tracks a statement and its answer. A failure that the database did not report itself is no answer. */
  async during<T>(
    work: Promise<T>,
    isReportedByDatabase: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    if (this.#pending++ === 0) this.#sinceMs = clock.monotonicMs();
    try {
      const result = await work;
      this.#sinceMs = clock.monotonicMs();
      return result;
    } catch (error) {
      if (isReportedByDatabase(error)) this.#sinceMs = clock.monotonicMs();
      throw error;
    } finally {
      this.#pending--;
    }
  }

  /** How long the database has not answered although statements are pending. */
  silentMs(): number {
    return this.#pending === 0 ? 0 : clock.monotonicMs() - this.#sinceMs;
  }
}
