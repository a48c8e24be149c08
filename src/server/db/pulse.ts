import { clock } from "#server/platform/clock.ts";

/** When the database was last heard of, while something was asked of it. */
export class Pulse {
  #pending = 0;
  #sinceMs = 0;

  /** Notes that something is asked, and that it was heard. A failure that the database did not tell itself is silence. */
  async during<T>(work: Promise<T>, toldByDatabase: (error: unknown) => boolean = () => false): Promise<T> {
    if (this.#pending++ === 0) this.#sinceMs = clock.monotonicMs();
    try {
      const result = await work;
      this.#sinceMs = clock.monotonicMs();
      return result;
    } catch (error) {
      if (toldByDatabase(error)) this.#sinceMs = clock.monotonicMs();
      throw error;
    } finally {
      this.#pending--;
    }
  }

  /** For how long the database has answered nobody although it was asked. */
  silentMs(): number {
    return this.#pending === 0 ? 0 : clock.monotonicMs() - this.#sinceMs;
  }
}
