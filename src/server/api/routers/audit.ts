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
        summary: "List who changed what",
        description:
          "Newest first. Each row carries the hash of the one before; `npm run audit:verify` names the first that " +
          "was tampered with.",
        tag: "Audit log",
      }),
    )
    .input(AuditLogQuery)
    .output(dataList(AuditLogEntry))
    .query(({ ctx, input }) => listAudit(ctx.services.database, ctx.caller, input)),

  verify: permitted("audit:read", "organisation")
    .output(AuditVerification)
    .query(({ ctx: { services, caller } }) =>
      // A long log is many statements, none of which takes long.
      asInteractive(caller.orgId, () => verifyOwnAudit(services.database, caller), { renews: true }),
    ),
});
