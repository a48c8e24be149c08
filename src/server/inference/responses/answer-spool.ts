import { mkdirSync, readdirSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { inBackground, waitFor } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";

interface SpooledAnswer {
  readonly id: string;
}

interface SpoolOptions<Row> {
  readonly directory: string;
  readonly schema: z.ZodType<Row>;
  /** Writes rows to the database. Doing so twice changes nothing. */
  readonly store: (rows: readonly Row[]) => Promise<void>;
  readonly log: Log;
}

const suffix = ".json";

/**
 * Answers on their way into the database. Each is written to a file before the client gets its last byte, and the
 * file is deleted once the answer is in the database: the next process stores what a killed one had answered.
 */
export class AnswerSpool<Row extends SpooledAnswer> {
  readonly #directory: string;
  readonly #schema: z.ZodType<Row>;
  readonly #store: SpoolOptions<Row>["store"];
  readonly #log: Log;
  readonly #pending = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> | null = null;
  #failedAtMs: number | null = null;

  constructor({ directory, schema, store, log }: SpoolOptions<Row>) {
    this.#directory = directory;
    this.#schema = schema;
    this.#store = store;
    this.#log = log;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory))
      if (name.endsWith(suffix)) this.#pending.add(name.slice(0, -suffix.length));
    this.#timer = setInterval(() => this.#begin(), limits.responses.flushEveryMs);
  }

  /** Resolves when the answer survives the death of the process. */
  async put(row: Row): Promise<void> {
    const file = this.#file(row.id);
    await writeFile(`${file}.new`, JSON.stringify(row), { mode: 0o600 });
    await rename(`${file}.new`, file);
    this.#pending.add(row.id);
  }

  /** Waits until one answer, or all, of this process are in the database; at most for one attempt. */
  async flushed(id?: string): Promise<void> {
    if (id === undefined ? this.#pending.size === 0 : !this.#pending.has(id)) return;
    await waitFor(inBackground(() => this.#flushAll()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushAll();
  }

  async #flushAll(): Promise<void> {
    // A running flush may have begun before the last answer was added.
    await this.#flushing;
    this.#begin();
    await this.#flushing;
  }

  #file(id: string): string {
    return join(this.#directory, `${id}${suffix}`);
  }

  #begin(): void {
    if (this.#flushing || this.#pending.size === 0) return;
    const now = clock.monotonicMs();
    if (this.#failedAtMs !== null && now - this.#failedAtMs < limits.responses.retryAfterMs) return;
    this.#flushing = this.#flush().then(
      () => {
        this.#flushing = null;
        this.#failedAtMs = null;
      },
      (error: unknown) => {
        this.#flushing = null;
        if (this.#failedAtMs === null)
          this.#log.warn({ event: "responses", error }, "Answers are kept until the database can store them");
        this.#failedAtMs = now;
      },
    );
  }

  async #flush(): Promise<void> {
    const ids: string[] = [];
    const rows: Row[] = [];
    let bytes = 0;
    for (const id of [...this.#pending].slice(0, limits.responses.flushRowsMax)) {
      const read = await this.#read(id);
      ids.push(id);
      if (read) rows.push(read.row);
      bytes += read?.bytes ?? 0;
      if (bytes > limits.responses.flushBytesMax) break;
    }
    await this.#store(rows);
    for (const id of ids) {
      await rm(this.#file(id), { force: true });
      this.#pending.delete(id);
    }
  }

  /** Null for an unreadable file: it is renamed and logged, and does not block the others. */
  async #read(id: string): Promise<{ readonly row: Row; readonly bytes: number } | null> {
    try {
      const text = await readFile(this.#file(id), "utf8");
      return { row: this.#schema.parse(JSON.parse(text)), bytes: text.length };
    } catch (error) {
      // Another worker found it when it started, and has stored it.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      this.#log.error(
        { event: "responses", generation_id: id, error },
        "A stored answer could not be read back",
      );
      await rename(this.#file(id), `${this.#file(id)}.broken`).catch(() => {});
      return null;
    }
  }
}
