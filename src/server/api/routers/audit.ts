import { AuditLogEntry, AuditLogQuery, AuditVerification } from "#contract/audit.ts";
import { dataList } from "#contract/common.ts";
import { AuditPosition, AuditProof } from "#contract/transparency-log.ts";
import { listAudit } from "#server/audit/list.ts";
import { verifyOwnAudit } from "#server/audit/verify.ts";
import { asInteractive } from "#server/db/index.ts";
import { proveAuditEntry } from "#server/transparency/index.ts";
import { permitted, rest, router } from "../trpc.ts";

export const auditRouter = router({
  list: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/audit-log", {
        summary: "List changes",
        description:
          "Newest first. Each row contains the hash of the previous one; `npm run audit:verify` names the first row " +
          "that was tampered with.",
        tag: "Audit log",
      }),
    )
    .input(AuditLogQuery)
    .output(dataList(AuditLogEntry))
    .query(({ ctx, input }) => listAudit(ctx.services.database, ctx.caller, input)),

  proof: permitted("audit:read", "organisation")
    .meta(
      rest("GET", "/audit-log/{position}/proof", {
        summary: "Prove an entry",
        description:
          "The entry with the proof that it is in the transparency log, from 5 seconds after the change. " +
          "`verify.mjs` verifies it offline.",
        tag: "Audit log",
        errors: [404],
      }),
    )
    .input(AuditPosition)
    .output(AuditProof)
    .query(({ ctx, ctx: { services }, input }) =>
      proveAuditEntry(services.transparency, ctx.caller, input.position),
    ),

  verify: permitted("audit:read", "organisation")
    .output(AuditVerification)
    .query(({ ctx: { services, caller } }) =>
      // Reads a long log in many short statements.
      asInteractive(caller.orgId, () => verifyOwnAudit(services.database, caller), { renews: true }),
    ),
});
