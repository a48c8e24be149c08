import { AuditLogEntry, AuditLogQuery, AuditVerification } from "#contract/audit.ts";
import { dataList } from "#contract/common.ts";
import { listAudit } from "#server/audit/list.ts";
import { verifyOwnAudit } from "#server/audit/verify.ts";
import { asInteractive } from "#server/db/index.ts";
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

  verify: permitted("audit:read", "organisation")
    .output(AuditVerification)
    .query(({ ctx: { services, caller } }) =>
      // Reads a long log in many short statements.
      asInteractive(caller.orgId, () => verifyOwnAudit(services.database, caller), { renews: true }),
    ),
});
