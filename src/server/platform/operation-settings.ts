import { z } from "zod";
import { TagName } from "#contract/tag.ts";
import { settingDocs as docs, flag, list, seconds } from "./setting-types.ts";

/** How a process runs, and how long it stores data. */
export const operation = {
  SPOOL_SYNC: z
    .enum(["process", "power"], { error: "must be process or power" })
    .default("process")
    .register(docs, {
      description:
        "When billing records are safe. `process`: written before an answer ends, synced to disk within 50 ms. `power`: synced before an answer ends, so that they survive a power loss.",
    }),
  CREDIT_LEASE_TTL: seconds().min(1, "must be 1 or more seconds").default(1200).register(docs, {
    description:
      "Seconds for which a process may spend its leased credit while the database is unavailable. Should be longer than `CONFIG_MAX_STALENESS`.",
  }),
  CONFIG_MAX_STALENESS: seconds().min(0).default(900).register(docs, {
    description:
      "Seconds for which keys, rules and prices remain valid while the database is unavailable. After that, requests are refused with 503.",
  }),
  RESPONSES_STORE_DEFAULT: flag(true).register(docs, {
    description: "Whether `POST /responses` stores the response if the request does not set `store`.",
  }),
  RESPONSES_RETENTION_DAYS: z.coerce
    .number({ error: "must be a number of days" })
    .int()
    .min(1, "must be 1 or more days")
    .max(3650, "must be 3650 days or less")
    .default(30)
    .register(docs, {
      description:
        "Days for which stored responses can be read and continued and stored chat completions read, and for which conversations remain after items were last added.",
    }),
  TRANSPARENCY_WITNESSES: list.pipe(z.array(z.string())).register(docs, {
    description:
      "Witnesses that sign the checkpoints of transparency logs (C2SP tlog-witness), separated by commas: each the public key (`name+ID+key`, type 4), a space and the URL below which `add-checkpoint` is. Each witness must know the keys of the logs.",
    fallback: "no witness",
    example: "witness.example+0a1b2c3d+BASE64 https://witness.example",
  }),
  TRANSPARENCY_TIMESTAMPS: list.pipe(z.array(z.string())).register(docs, {
    description:
      "URLs of time-stamping authorities (RFC 3161), separated by commas, which stamp the checkpoint of each transparency log once a day.",
    fallback: "no authority",
    example: "https://timestamps.example/tsr",
  }),
  TRANSPARENCY_PUBLISH_TO: list.pipe(z.array(z.string())).register(docs, {
    description:
      "URLs at which the checkpoint of each transparency log is published every 5 minutes if it changed, separated by commas: `https://` (POST) or `s3+https://` (an object below the URL of a bucket and a prefix).",
    fallback: "nowhere",
    example: "s3+https://checkpoints.s3.eu-central-1.amazonaws.com/portolan",
  }),
  TRANSPARENCY_PUBLISH_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .optional()
    .register(docs, {
      description: "Sent to the `https://` URLs of `TRANSPARENCY_PUBLISH_TO` as `authorization: Bearer`.",
      example: "secret",
    }),
  TRANSPARENCY_S3_KEY: z
    .string()
    .regex(/^[^\s:]+:[^\s:]+$/, "must be an access key ID, a colon and a secret access key")
    .optional()
    .register(docs, {
      description:
        "Access key ID and secret access key for the buckets of `TRANSPARENCY_PUBLISH_TO`, separated by a colon. It needs `s3:PutObject` and, with `TRANSPARENCY_S3_LOCK_DAYS`, `s3:PutObjectRetention`.",
      example: "AKIAEXAMPLE:secret",
    }),
  TRANSPARENCY_S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/, "must be the name of a region")
    .default("eu-central-1")
    .register(docs, { description: "Region of the buckets of `TRANSPARENCY_PUBLISH_TO`." }),
  TRANSPARENCY_S3_LOCK_DAYS: z.coerce
    .number({ error: "must be a number of days" })
    .int()
    .min(1, "must be 1 or more days")
    .max(36500, "must be 36500 days or less")
    .optional()
    .register(docs, {
      description:
        "Days for which nobody can delete a published checkpoint (S3 Object Lock in compliance mode). The bucket must have Object Lock. Without it, what the bucket says applies.",
      example: "3650",
    }),
  AUDIT_EXPORT_URL: z.string().optional().register(docs, {
    description:
      "Receiver of the audit logs of all organisations, such as a SIEM: `https://` (JSON lines), `otlp+https://` (OTLP logs), `syslog+tls://` or `syslog+tcp://` ([operations](operations.md#audit-logs-in-a-siem)).",
    fallback: "no receiver",
    example: "otlp+https://collector.example.eu",
  }),
  AUDIT_EXPORT_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .optional()
    .register(docs, {
      description: "Sent to `AUDIT_EXPORT_URL` as `authorization: Bearer`. Not for syslog.",
      example: "secret",
    }),
  REQUEST_RETENTION_DAYS: z.coerce
    .number({ error: "must be a number of days" })
    .int()
    .min(31, "must be 31 or more days")
    .max(36500, "must be 36500 days or less")
    .optional()
    .register(docs, {
      description:
        "Days for which requests and their charges are stored. A calendar month is deleted when all of it is older. Sums for reports remain, and the ledger has one charge for each deleted month. Without it, nothing is deleted ([operations](operations.md#deleting-old-requests)).",
      example: "730",
    }),
  METRICS_TAGS: list.pipe(z.array(TagName)).register(docs, {
    description:
      "Tags by which `/metrics` counts requests, separated by commas. Everybody who reaches `/metrics` can read the values. Requests of organisations that have not chosen a tag are not counted by it ([guide](guides/tags.md)).",
    example: "app,metadata.team",
  }),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], {
      error: "must be debug, info, warn, error or silent",
    })
    .default("info")
    .register(docs, { description: "`debug`, `info`, `warn`, `error` or `silent`." }),
};
