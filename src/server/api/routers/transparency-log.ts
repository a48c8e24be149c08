import { dataList } from "#contract/common.ts";
import {
  ConsistencyProof,
  ConsistencyQuery,
  LogTimestamp,
  LogTimestampQuery,
  TransparencyLog,
} from "#contract/transparency-log.ts";
import { getLog, listTimestamps, proveConsistency } from "#server/transparency/index.ts";
import { permitted, rest, router } from "../trpc.ts";

const tag = "Audit log";

export const transparencyLogRouter = router({
  get: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/transparency-log", {
        summary: "Get the transparency log",
        description:
          "The newest checkpoint of the log that proves the audit log. Store it where nobody who runs this " +
          "installation can change it: every later state can be verified against it.",
        tag,
        errors: [404],
      }),
    )
    .output(TransparencyLog)
    .query(({ ctx, ctx: { services } }) => getLog(services.transparency, ctx.caller)),

  timestamps: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/transparency-log/timestamps", {
        summary: "List timestamps",
        description:
          "Checkpoints of the log that time-stamping authorities (RFC 3161) stamped, newest first: one a day for each " +
          "authority of `TRANSPARENCY_TIMESTAMPS`. What is in a stamped checkpoint existed at that time.",
        tag,
      }),
    )
    .input(LogTimestampQuery)
    .output(dataList(LogTimestamp))
    .query(({ ctx, ctx: { services }, input }) => listTimestamps(services.database, ctx.caller, input)),

  consistency: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/transparency-log/consistency", {
        summary: "Prove that the log only grew",
        description:
          "The proof that the newest checkpoint continues an earlier one: that no entry was changed or removed since " +
          "then. `verify.mjs` verifies it.",
        tag,
        errors: [404],
      }),
    )
    .input(ConsistencyQuery)
    .output(ConsistencyProof)
    .query(({ ctx, ctx: { services }, input }) => proveConsistency(services.transparency, ctx.caller, input)),
});
