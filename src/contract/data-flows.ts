import { z } from "zod";
import { AskedTime, inOrder, pageLimitOr, Timestamp, Uuid } from "./common.ts";
import { EndpointFacts } from "./endpoint-facts.ts";
import { GenerationStatus } from "./generation.ts";

/** Where inference runs, by the rules of the GDPR for transfers (Chapter V). */
export const transferAreas = ["eu", "eea", "adequate", "third_country", "unknown"] as const;
export const TransferArea = z.enum(transferAreas, { error: `must be one of ${transferAreas.join(", ")}` });
export type TransferArea = z.infer<typeof TransferArea>;

const Name = z.string().min(1, "must not be empty").max(300, "may have 300 characters at most");

const filterFields = {
  from: AskedTime.describe("Only requests that began at or after this time."),
  to: AskedTime.describe("Only requests that began before this time."),
  provider: Name.describe(
    "Only requests that this provider (its slug) received, also if another one answered.",
  ).optional(),
  endpoint: Name.describe("Only requests that this endpoint (`provider:model`) received.").optional(),
  area: TransferArea.describe(
    "Only requests that an endpoint received which was there, by the facts of that time: `eu`, `eea`, `adequate` (a country with an " +
      "adequacy decision), `third_country`, or `unknown`.",
  ).optional(),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, "must be an ISO 3166-1 alpha-2 country code such as DE")
    .toUpperCase()
    .describe("Only requests that an endpoint received for which the facts of that time named this country.")
    .optional(),
  facts_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 as 64 hexadecimal digits")
    .describe("Only requests that an endpoint received while exactly these facts about it applied.")
    .optional(),
  api_key_id: Uuid.describe("Only requests with this API key.").optional(),
  workspace_id: Uuid.describe("Only requests with keys of this workspace.").optional(),
  rule_id: Uuid.describe("Only requests to which this routing rule applied.").optional(),
  user_id: Uuid.describe("Only requests with API keys of this person or service account.").optional(),
  end_user: Name.describe(
    "Only requests for this end user: the field `user` (or `safety_identifier`) of the request.",
  ).optional(),
  destination_id: Uuid.describe("Only requests with a trace for this destination.").optional(),
};

export const DataFlowFilter = z.object(filterFields);
/** Which requests are meant. What is left out does not narrow. */
export type DataFlowFilter = z.infer<typeof DataFlowFilter>;

export const DataFlowQuery = DataFlowFilter.superRefine(inOrder);

export const DataFlowRequestsQuery = DataFlowFilter.extend({
  after: Uuid.describe("ID of the last request of the page before: `next` of its answer.").optional(),
  limit: pageLimitOr(100, 1_000).describe("Maximum number of requests to return, 1 to 1,000."),
}).superRefine(inOrder);
export type DataFlowRequestsQuery = z.infer<typeof DataFlowRequestsQuery>;

const Count = z.number().int();
const Span = z.object({
  first_at: Timestamp.describe("When the first of these requests began."),
  last_at: Timestamp.describe("When the last of these requests began."),
});

const Recipient = Span.extend({
  provider: z.string().describe("Slug of the provider."),
  name: z.string().describe("Name of the provider."),
  endpoint: z.string().describe("The endpoint, as `provider:model`."),
  area: TransferArea.describe("Where it was, by the facts of that time."),
  requests: Count.describe("Requests that it received, also those that it did not answer."),
  answered: Count.describe("Requests that it answered."),
  unreached: Count.describe(
    "Requests for which no connection to it could be made, so that it received nothing.",
  ),
  facts_hash: z
    .string()
    .nullable()
    .describe(
      "SHA-256 of the facts, as receipts refer to them; null for requests of versions without stored facts.",
    ),
  facts: EndpointFacts.nullable().describe("What was known of the endpoint when the requests were routed."),
});

const Named = z.object({
  id: z.string().describe("Its ID."),
  name: z.string().nullable().describe("Its name; null if it was deleted."),
  requests: Count.describe("Number of requests."),
});

const DestinationFlow = Span.extend({
  id: z.string().describe("ID of the destination."),
  name: z.string().nullable().describe("Name of the destination; null if it was deleted."),
  type: z
    .string()
    .nullable()
    .describe("Type of the destination, such as `langfuse`; null if it was deleted."),
  residency: z
    .string()
    .nullable()
    .describe("Where it stores data, or did when it was deleted; null if unknown."),
  with_content: Count.describe("Delivered traces with prompt and answer."),
  without_content: Count.describe(
    "Delivered traces without prompt and answer, but with end user, session and tags.",
  ),
  impersonal: Count.describe("Delivered traces without content and without anything about a person."),
  pending: Count.describe("Traces that wait to be sent."),
  failed: Count.describe(
    "Traces that were not delivered. The destination may have received them without confirming it.",
  ),
  earlier: Count.describe(
    "Traces that were handed over more than three days ago, or to a destination that was deleted: whether they arrived is not " +
      "stored.",
  ),
  earlier_with_content: Count.describe("How many of these contained prompt and answer."),
});

/** Where requests went. */
export const DataFlowReport = z
  .object({
    requests: Count.describe("Number of requests."),
    first_at: Timestamp.nullable().describe("When the first one began; null without requests."),
    last_at: Timestamp.nullable().describe("When the last one began; null without requests."),
    unsent: Count.describe("Requests that no provider received."),
    unrecorded: Count.describe(
      "Interrupted requests of the period, whose process stopped before it recorded a provider. They are only counted here, and " +
        "filters by provider or place cannot find them.",
    ),
    records_from: Timestamp.nullable().describe(
      "Requests before this time are not counted, because their records were deleted (`REQUEST_RETENTION_DAYS`); null if the records " +
        "of the whole period exist.",
    ),
    recipients: z
      .array(Recipient)
      .describe(
        "Every endpoint that received requests, and those that could not be reached; most requests first.",
      ),
    api_keys: z.array(Named).describe("API keys of the requests, most requests first; at most 1,000."),
    people: z.array(Named).describe("Owners of the API keys, most requests first; at most 1,000."),
    end_users: z
      .object({
        count: Count.describe("Number of different end users."),
        unnamed: Count.describe("Requests that name no end user."),
        data: z
          .array(
            z.object({
              end_user: z.string().describe("The end user."),
              requests: Count.describe("Number of requests."),
            }),
          )
          .describe("End users with most requests; at most 1,000."),
      })
      .describe("End users of the requests."),
    destinations: z.array(DestinationFlow).describe("Destinations of the traces of these requests."),
    deliveries_from: Timestamp.describe(
      "Deliveries to destinations that ended before this time are deleted: of their traces only `earlier` is known.",
    ),
    stored: z
      .object({
        responses: Count.describe("Stored responses."),
        chat_completions: Count.describe("Stored chat completions."),
      })
      .describe("Prompts and answers that are still stored here."),
  })
  .meta({ id: "DataFlowReport" });
export type DataFlowReport = z.infer<typeof DataFlowReport>;

/** A request of a report. */
export const DataFlowRequest = z
  .object({
    id: Uuid.describe("ID of the generation; `GET /generations/{id}/receipt` proves it."),
    started_at: Timestamp.describe("When it began."),
    operation: z.string().describe("The operation, such as `chat`."),
    model: z.string().describe("The model that answered, or the requested one."),
    status: GenerationStatus.describe("How it ended."),
    api_key_id: Uuid.describe("ID of the API key."),
    user_id: Uuid.describe("Owner of the API key."),
    end_user: z.string().nullable().describe("The end user; null if the request named none."),
    session_id: z.string().nullable().describe("The session; null if the request named none."),
    recipients: z
      .array(
        z.object({
          provider: z.string().describe("Slug of the provider."),
          endpoint: z.string().describe("The endpoint, as `provider:model`."),
          outcome: z.string().describe("`ok`, or why it did not answer."),
          reached: z
            .boolean()
            .describe("Whether it may have received the request: false if no connection could be made."),
        }),
      )
      .describe("Every endpoint that was tried, in order."),
    is_stored: z.boolean().describe("Whether its prompt and answer are still stored here."),
  })
  .meta({ id: "DataFlowRequest" });
export type DataFlowRequest = z.infer<typeof DataFlowRequest>;

export const DataFlowRequests = z
  .object({
    data: z.array(DataFlowRequest).describe("The requests of this page, newest first."),
    next: Uuid.nullable().describe("`after` of the next page; null on the last one."),
  })
  .meta({ id: "DataFlowRequests" });
export type DataFlowRequests = z.infer<typeof DataFlowRequests>;
