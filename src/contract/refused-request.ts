import { z } from "zod";
import { AskedTime, inOrder, Paging, Timestamp, Uuid } from "./common.ts";
import { Exclusion } from "./exclusion.ts";

/** Requests of one day that were refused alike, before any provider was asked. */
export const RefusedRequest = z
  .object({
    id: Uuid.describe("ID of the entry."),
    count: z.number().int().describe("Number of refused requests this entry stands for."),
    first_at: Timestamp.describe("Time of the first of these requests."),
    last_at: Timestamp.describe("Time of the latest of these requests."),
    request_ids: z
      .array(z.string())
      .describe("IDs of the latest of these requests, at most 20, latest last."),
    api_key_id: Uuid.describe("ID of the API key that made the requests."),
    workspace_id: Uuid.nullable().describe("ID of the API key's workspace; null when it has none."),
    operation: z.string().describe("Operation that was requested, such as `chat` or `embeddings`."),
    model: z
      .string()
      .nullable()
      .describe(
        "Model that was requested; null when the request was not read, or when requests for many different models were counted together.",
      ),
    error_code: z
      .string()
      .describe("Error code the requests were refused with, such as `INSUFFICIENT_QUOTA`."),
    http_status: z.number().int().describe("HTTP status of the answer."),
    param: z
      .string()
      .nullable()
      .describe(
        "Field that was wrong, or the reasons that excluded every endpoint; null when neither applies.",
      ),
    message: z.string().describe("Error message of the latest request."),
    excluded: z
      .array(Exclusion)
      .nullable()
      .describe(
        "Endpoints that were excluded, at most 50; null when the request was refused for another reason.",
      ),
    missing_eur: z
      .string()
      .nullable()
      .describe(
        "Amount of credit that was missing, in euros as decimal text; null when the request was refused for another reason.",
      ),
    metadata: z.record(z.string(), z.unknown()).describe("Further metadata of the latest error."),
  })
  .meta({ id: "RefusedRequest" });
export type RefusedRequest = z.infer<typeof RefusedRequest>;

export const RefusedRequestQuery = Paging.extend({
  from: AskedTime.describe("Only entries whose latest request is at or after this time.").optional(),
  to: AskedTime.describe("Only entries whose first request is before this time.").optional(),
  api_key_id: Uuid.describe("Only requests made with this API key.").optional(),
  model: z.string().min(1).max(200).describe("Only requests for this model, as it was requested.").optional(),
  error_code: z
    .string()
    .min(1)
    .max(60)
    .describe("Only requests refused with this error code, such as `RATE_LIMIT_EXCEEDED`.")
    .optional(),
  request_id: z
    .string()
    .min(1)
    .max(128)
    .describe("Only the entry with this request among its `request_ids`.")
    .optional(),
}).superRefine(inOrder);
export type RefusedRequestQuery = z.infer<typeof RefusedRequestQuery>;
