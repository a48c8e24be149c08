import { z } from "zod";
import type { Database } from "#server/db/index.ts";
import type { Log } from "#server/platform/log.ts";
import { AnswerSpool } from "../responses/answer-spool.ts";

const CompletionRow = z.object({
  id: z.uuid(),
  org_id: z.uuid(),
  workspace_id: z.uuid().nullable(),
  api_key_id: z.uuid(),
  user_id: z.uuid().nullable(),
  model: z.string(),
  /** Sealed, as the next two. */
  metadata: z.string(),
  messages: z.string(),
  completion: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});
/** The row of a stored chat completion. */
export type CompletionRow = z.infer<typeof CompletionRow>;

/** Chat completions on their way into the database. */
export class CompletionSpool extends AnswerSpool<CompletionRow> {
  constructor(directory: string, database: Database, log: Log) {
    const store = async (rows: readonly CompletionRow[]) => {
      await database.prisma.stored_completion.createMany({ data: [...rows], skipDuplicates: true });
    };
    super({ directory, schema: CompletionRow, store, log });
  }
}
