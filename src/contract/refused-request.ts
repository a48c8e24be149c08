import { z } from "zod";
import { AskedTime, inOrder, Paging, Timestamp, Uuid } from "./common.ts";
import { Exclusion } from "./exclusion.ts";

/** Requests of one day that were refused alike, before any provider was asked. */
export const RefusedRequest = z
  .object({
    id: Uuid,
    /** How many. */
    count: z.number().int(),
    first_at: Timestamp,
    last_at: Timestamp,
    /** The newest of them, the last one last. */
    request_ids: z.array(z.string()),
    api_key_id: Uuid,
    workspace_id: Uuid.nullable(),
    operation: z.string(),
    /** As asked for; null when the request was not read, or when too many models differed. */
    model: z.string().nullable(),
    error_code: z.string(),
    http_status: z.number().int(),
    /** The field that was wrong; where no provider was left, what leaves them out. */
    param: z.string().nullable(),
    /** What the newest of them was told. */
    message: z.string(),
    /** Every endpoint that dropped out, when none was left; null when it was refused for something else. */
    excluded: z.array(Exclusion).nullable(),
    /** What credit was short of. */
    missing_eur: z.string().nullable(),
    /** What else the newest of them was told. */
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "RefusedRequest" });
export type RefusedRequest = z.infer<typeof RefusedRequest>;

export const RefusedRequestQuery = Paging.extend({
  from: AskedTime.optional(),
  to: AskedTime.optional(),
  api_key_id: Uuid.optional(),
  model: z.string().min(1).max(200).optional(),
  error_code: z.string().min(1).max(60).optional(),
  /** One of the newest of them. */
  request_id: z.string().min(1).max(128).optional(),
}).superRefine(inOrder);
export type RefusedRequestQuery = z.infer<typeof RefusedRequestQuery>;
