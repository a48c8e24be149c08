import { ConsistencyProof, ConsistencyQuery, TransparencyLog } from "#contract/transparency-log.ts";
import { getLog, proveConsistency } from "#server/transparency/index.ts";
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
