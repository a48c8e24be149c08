import { z } from "zod";
import type { Database } from "#server/db/index.ts";
import type { Log } from "#server/platform/log.ts";
import { appendItems } from "../conversations/append-items.ts";
import { SealedItem } from "../conversations/sealed-items.ts";
import { AnswerSpool } from "./answer-spool.ts";

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

/** Stores responses, and appends to their conversations what was said. Doing so twice changes nothing. */
async function storeRows(database: Database, rows: readonly SpooledResponse[]): Promise<void> {
  const data = rows.flatMap(({ stored, conversation: _, ...row }) => (stored ? [row] : []));
  await database.prisma.stored_response.createMany({ data, skipDuplicates: true });
  for (const { id: generationId, conversation, org_id, expires_at } of rows)
    if (conversation) {
      const { id, items } = conversation;
      await database.transaction((tx) =>
        appendItems(tx, { id, orgId: org_id, generationId, expiresAt: expires_at }, items),
      );
    }
}

/** Responses on their way into the database. */
export class ResponseSpool extends AnswerSpool<SpooledResponse> {
  constructor(directory: string, database: Database, log: Log) {
    const store = (rows: readonly SpooledResponse[]) => storeRows(database, rows);
    super({ directory, schema: SpooledResponse, store, log });
  }
}
