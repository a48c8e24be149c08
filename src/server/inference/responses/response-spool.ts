import { mkdirSync, readdirSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Database, inBackground, waitFor } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { appendItems } from "../conversations/append-items.ts";
import { SealedItem } from "../conversations/sealed-items.ts";

const SpooledResponse = z.object({
  id: z.uuid(),
  org_id: z.uuid(),
  workspace_id: z.uuid().nullable(),
  api_key_id: z.uuid(),
  /** Absent in files of an earlier version. */
  user_id: z.uuid().nullable().default(null),
  previous_id: z.uuid().nullable(),
  status: z.string(),
  background: z.boolean(),
  streamed: z.boolean(),
  item_ids: z.array(z.string()),
  /** The conversation to which items of request and answer are appended. Absent in files of an earlier version. */
  conversation: z
    .object({ id: z.uuid(), items: z.array(SealedItem) })
    .nullable()
    .default(null),
  /** Whether the response itself is stored. */
  stored: z.boolean().default(true),
  /** Sealed. */
  content: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
export type SpooledResponse = z.infer<typeof SpooledResponse>;
/** The row of a response in the database. */
export type StoredRow = Omit<SpooledResponse, "conversation" | "stored">;

const suffix = ".json";

/** Stores responses, and appends to their conversations what was said. Doing so twice changes nothing. */
async function storeRows(database: Database, rows: readonly SpooledResponse[]): Promise<void> {
  const data = rows.flatMap(({ stored, conversation: _, ...row }) => (stored ? [row] : []));
  await database.prisma.stored_response.createMany({ data, skipDuplicates: true });
  for (const { conversation, org_id, expires_at } of rows)
    if (conversation) {
      const { id, items } = conversation;
      await database.transaction((tx) =>
        appendItems(tx, { id, orgId: org_id, expiresAt: expires_at }, items),
      );
    }
}

/**
 * Responses on their way into the database. Each is written to a file before the client gets its last byte, and the
 * file is deleted once the response is in the database: the next process stores what a killed one had answered.
 */
export class ResponseSpool {
  readonly #directory: string;
  readonly #database: Database;
  readonly #log: Log;
  readonly #pending = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> | null = null;
  #failedAtMs: number | null = null;

  constructor(directory: string, database: Database, log: Log) {
    this.#directory = directory;
    this.#database = database;
    this.#log = log;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory))
      if (name.endsWith(suffix)) this.#pending.add(name.slice(0, -suffix.length));
    this.#timer = setInterval(() => this.#begin(), limits.responses.flushEveryMs);
  }

  /** Resolves when the response survives the death of the process. */
  async put(row: SpooledResponse): Promise<void> {
    const file = this.#file(row.id);
    await writeFile(`${file}.new`, JSON.stringify(row), { mode: 0o600 });
    await rename(`${file}.new`, file);
    this.#pending.add(row.id);
  }

  /** Waits until one response, or all, of this process are in the database; at most for one attempt. */
  async flushed(id?: string): Promise<void> {
    if (id === undefined ? this.#pending.size === 0 : !this.#pending.has(id)) return;
    await waitFor(inBackground(() => this.#flushAll()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushAll();
  }

  async #flushAll(): Promise<void> {
    // A running flush may have begun before the last response was added.
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
          this.#log.warn(
            { event: "responses", error },
            "Responses are kept until the database can store them",
          );
        this.#failedAtMs = now;
      },
    );
  }

  async #flush(): Promise<void> {
    const ids: string[] = [];
    const rows: SpooledResponse[] = [];
    let bytes = 0;
    for (const id of [...this.#pending].slice(0, limits.responses.flushRowsMax)) {
      const row = await this.#read(id);
      ids.push(id);
      if (row) rows.push(row);
      bytes += row?.content.length ?? 0;
      if (bytes > limits.responses.flushBytesMax) break;
    }
    await storeRows(this.#database, rows);
    for (const id of ids) {
      await rm(this.#file(id), { force: true });
      this.#pending.delete(id);
    }
  }

  /** Null for an unreadable file: it is renamed and logged, and does not block the others. */
  async #read(id: string): Promise<SpooledResponse | null> {
    try {
      return SpooledResponse.parse(JSON.parse(await readFile(this.#file(id), "utf8")));
    } catch (error) {
      // Another worker found it when it started, and has stored it.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
      this.#log.error({ event: "responses", generation_id: id, error }, "A response could not be read back");
      await rename(this.#file(id), `${this.#file(id)}.broken`).catch(() => {});
      return null;
    }
  }
}
