import { z } from "zod";
import { integerText, Paging, Timestamp } from "./common.ts";

const checkpointText =
  "The signed checkpoint (C2SP tlog-checkpoint): origin, number of entries, root hash and signatures.";

const PublicKeys = z
  .array(z.string())
  .describe(
    "Public keys of the log as `name+ID+key` (C2SP signed-note): the current one first, then those that are being " +
      "replaced. Compare them with the ones you stored earlier.",
  );

/** The newest state of an organisation's transparency log. */
export const TransparencyLog = z
  .object({
    origin: z.string().describe("Name of the log. It never changes."),
    size: z.number().int().describe("Number of entries."),
    checkpoint: z.string().describe(checkpointText),
    signed_at: Timestamp.describe("Time the checkpoint was signed."),
    public_keys: PublicKeys,
    cosigned_checkpoint: z
      .string()
      .nullable()
      .describe(
        "The newest checkpoint that a witness signed, with its signatures (C2SP tlog-cosignature); null if there is " +
          "none.",
      ),
    witnesses: z
      .array(
        z.object({
          name: z.string().describe("Name of the witness."),
          cosigned_at: Timestamp.describe("When the witness signed, by its clock."),
        }),
      )
      .describe("The witnesses that signed `cosigned_checkpoint`."),
    publications: z
      .array(
        z.object({
          target: z.string().describe("URL at which checkpoints are published."),
          size: z
            .number()
            .int()
            .describe("Number of entries of the last checkpoint that was published there."),
          published_at: Timestamp.describe("When it was published."),
        }),
      )
      .describe("Where checkpoints of the log were published (`TRANSPARENCY_PUBLISH_TO`)."),
  })
  .meta({ id: "TransparencyLog" });
export type TransparencyLog = z.infer<typeof TransparencyLog>;

export const AuditPosition = z.object({
  position: integerText({ min: 1, max: 999_999_999 }).describe(
    "Position of the entry in the audit log, starting at 1.",
  ),
});

/** What proves that a row of the audit log is in the transparency log; `verify.mjs` reads it. */
export const AuditProof = z
  .object({
    type: z.literal("audit_entry").describe("Always `audit_entry`."),
    text: z
      .string()
      .describe(
        "The entry as its hash covers it: a JSON array of organisation, position, previous hash, time, type and ID of " +
          "the actor, action, type and ID of the object, request, IP address, and the values before and after.",
      ),
    proof: z
      .string()
      .describe(
        "The inclusion proof (C2SP tlog-proof), with the newest checkpoint that witnesses signed, if it covers the entry.",
      ),
    public_keys: PublicKeys,
  })
  .meta({ id: "AuditProof" });
export type AuditProof = z.infer<typeof AuditProof>;

/** What proves that the record of a request is in the transparency log; `verify.mjs` reads it. */
export const GenerationReceipt = z
  .object({
    type: z.literal("generation").describe("Always `generation`."),
    record: z
      .string()
      .describe(
        "What is recorded about the request, as canonical JSON (RFC 8785): who asked for which model, which providers " +
          "were tried, who answered, destinations of its trace, tokens, cost and exchange rate. It has no content and nothing " +
          "about a person.",
      ),
    personal_hash: z
      .string()
      .describe(
        "SHA-256 of `personal` in hexadecimal digits; empty if the request named no app, end user, session or tags.",
      ),
    personal: z
      .object({
        salt: z.string().describe("Random bytes as hexadecimal digits."),
        text: z.string().describe("App, end user, session and tags of the request, as canonical JSON."),
      })
      .nullable()
      .describe(
        "What the request said about a person; null if it said nothing, or if that was erased. The hash is of salt, line break and text.",
      ),
    decision: z
      .string()
      .nullable()
      .describe(
        "How the request was routed, as canonical JSON: rules, preferences, eligible endpoints and the reason for each " +
          "exclusion. Its SHA-256 is `decision_hash` of the record. Null in records of versions before this.",
      ),
    facts: z
      .array(z.string())
      .describe(
        "What was known, when the request was routed, of the endpoints that received it: legal seat, ownership, places, " +
          "storage, retention and training, each with its sources, date, expiry and confidence. Each is canonical JSON " +
          "whose SHA-256 is among `facts` of the decision.",
      ),
    proof: z
      .string()
      .describe(
        "The inclusion proof (C2SP tlog-proof), with the newest checkpoint that witnesses signed, if it covers the request.",
      ),
    public_keys: PublicKeys,
    today: z
      .object({
        destinations: z
          .array(
            z.object({
              id: z.string().describe("ID of the destination."),
              name: z.string().describe("Name of the destination."),
              type: z.string().describe("Type of the destination, such as `langfuse`."),
            }),
          )
          .describe("The destinations in the record that still exist."),
        record_until: Timestamp.nullable().describe(
          "When the record is deleted at the earliest (`REQUEST_RETENTION_DAYS`); null if it is not deleted.",
        ),
        content_until: Timestamp.nullable().describe(
          "When the stored prompt and answer are deleted; null if neither is stored here.",
        ),
      })
      .describe("What is known today. The proof does not cover it."),
  })
  .meta({ id: "GenerationReceipt" });
export type GenerationReceipt = z.infer<typeof GenerationReceipt>;

export const LogTimestampQuery = Paging;
export type LogTimestampQuery = z.infer<typeof LogTimestampQuery>;

/** What proves that a checkpoint existed at a time. */
export const LogTimestamp = z
  .object({
    authority: z.string().describe("URL of the time-stamping authority."),
    stamped_at: Timestamp.describe("When the authority stamped the checkpoint, by its clock."),
    size: z.number().int().describe("Number of entries of the checkpoint."),
    checkpoint: z.string().describe(checkpointText),
    response: z
      .string()
      .describe(
        "The authority's answer as base64 (RFC 3161 TimeStampResp), about the SHA-256 of `checkpoint`. `openssl ts -verify` " +
          "verifies it.",
      ),
  })
  .meta({ id: "LogTimestamp" });
export type LogTimestamp = z.infer<typeof LogTimestamp>;

export const ConsistencyQuery = z.object({
  from: integerText({ min: 0, max: 999_999_999_999 }).describe(
    "Number of entries of the earlier checkpoint: its second line.",
  ),
});
export type ConsistencyQuery = z.infer<typeof ConsistencyQuery>;

/** What proves that a log only grew; `verify.mjs` reads it. */
export const ConsistencyProof = z
  .object({
    type: z.literal("consistency").describe("Always `consistency`."),
    from: z.number().int().describe("Number of entries of the earlier checkpoint."),
    from_root_hash: z
      .string()
      .describe("Root hash of the first `from` entries as base64. Compare it with the earlier checkpoint's."),
    hashes: z.array(z.string()).describe("The consistency proof (RFC 9162 2.1.4), each hash as base64."),
    checkpoint: z.string().describe(checkpointText),
    public_keys: PublicKeys,
  })
  .meta({ id: "ConsistencyProof" });
export type ConsistencyProof = z.infer<typeof ConsistencyProof>;
