import { z } from "zod";
import { inOrder, Timestamp, Uuid } from "./common.ts";
import { GenerationCursor, GenerationFilter } from "./generation.ts";

/** Which sessions are listed: those of requests that match. */
export const SessionListQuery = GenerationFilter.omit({ find: true })
  .extend({
    after: GenerationCursor.optional(),
    limit: z.number().int().min(1).max(100).default(50),
  })
  .superRefine(inOrder);
export type SessionListQuery = z.infer<typeof SessionListQuery>;

const Count = z.number().int();

/** The matching requests of one session, such as a conversation or the run of an agent. */
export const SessionLine = z.object({
  session_id: z.string(),
  requests: Count,
  /** Whether the session has more requests than are counted: everything here is about the newest ones. */
  has_more: z.boolean(),
  /** Requests that failed or were interrupted. */
  failed: Count,
  first_at: Timestamp,
  last_at: Timestamp,
  /** Different models, the most used first. */
  models: z.array(z.string()),
  tokens_in: Count,
  tokens_out: Count,
  cost_eur: z.string(),
  /** Of the newest request. */
  api_key_id: Uuid,
  app_title: z.string().nullable(),
  user_reference: z.string().nullable(),
});
export type SessionLine = z.infer<typeof SessionLine>;

export const SessionPage = z.object({
  /** The session with the newest request first. */
  data: z.array(SessionLine),
  /** Where the next page begins; null on the last one. A page before it may have fewer rows than asked for, or none. */
  next: GenerationCursor.nullable(),
});
export type SessionPage = z.infer<typeof SessionPage>;
