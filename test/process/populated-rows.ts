import { uuidv7 } from "#server/platform/ids.ts";
import type { TestServer } from "./server.ts";

/** Already over, so that no evaluation changes it while a test compares tables. Its subject is muted. */
export async function storeResolvedIncident(
  { services }: TestServer,
  org_id: string,
  rule_id: string,
  channel_id: string,
): Promise<string> {
  const [at, event] = ["2100-01-01T00:00:00.000Z", "opened"];
  await services.database.prisma.alert_mute.create({ data: { rule_id, subject: org_id, muted_until: at } });
  const { id } = await services.database.prisma.alert_incident.create({
    data: {
      ...{ id: uuidv7(), org_id, rule_id, rule_name: "Ours", kind: "budget", scope: "organisation" },
      ...{ subject: org_id, title: `Of ${org_id}`, detail: "", resolution: "ended" },
      ...{ opened_at: at, resolved_at: at, notified_at: at },
      notifications: { create: { id: uuidv7(), channel_id, event, created_at: at, sent_at: at } },
    },
  });
  return id;
}

/** Only the operator can add one, but the row of another organisation must be out of reach too. */
export async function storeUpdate({ services }: TestServer, org_id: string): Promise<string> {
  const document = { source: `Of ${org_id}`, as_of: "2100-01-01", digest: "0".repeat(64), document: "{}" };
  const { id } = await services.database.prisma.catalogue_update.create({
    data: { id: uuidv7(), org_id, ...document },
  });
  return id;
}

/** A dry run that is done, so that no job changes it. */
export async function storeErasure(
  { services }: TestServer,
  { orgId: org_id, userId }: { readonly orgId: string; readonly userId: string },
): Promise<string> {
  const at = "2100-01-01T00:00:00.000Z";
  const { id } = await services.database.prisma.erasure.create({
    data: {
      ...{ id: uuidv7(), org_id, subject_type: "person", subject_hash: `Of ${org_id}`, dry_run: true },
      ...{
        status: "done",
        requests_until: at,
        created_at: at,
        counts: {},
        destinations: [],
        created_by: userId,
      },
    },
  });
  return id;
}

/** An evidence package that could not be built. */
export async function storePackage(
  { services }: TestServer,
  { orgId: org_id, userId: created_by }: { readonly orgId: string; readonly userId: string },
): Promise<string> {
  const at = "2100-01-01T00:00:00.000Z";
  const { id } = await services.database.prisma.evidence_package.create({
    data: {
      ...{ id: uuidv7(), org_id, filter: { from: at, to: at }, status: "failed" },
      ...{ failure: `Of ${org_id}`, created_by, created_at: at, completed_at: at, expires_at: at },
      parts: { create: { attempt: 1, number: 0, content: Buffer.from(org_id) } },
    },
  });
  return id;
}

/** A legal hold of an end user without requests. */
export async function storeLegalHold(
  { services }: TestServer,
  { orgId: org_id, userId: created_by }: { readonly orgId: string; readonly userId: string },
): Promise<string> {
  const subject = { subject_type: "end_user", subject: `Of ${org_id}`, subject_hash: `Of ${org_id}` };
  const { id } = await services.database.prisma.legal_hold.create({
    data: {
      ...{ id: uuidv7(), org_id, name: "Case", created_by, created_at: "2100-01-01T00:00:00.000Z" },
      ...subject,
    },
  });
  return id;
}

/** As if a SIEM had no row of the audit log yet. */
export const storeExport = ({ services }: TestServer, org_id: string) =>
  services.database.prisma.audit_export.create({ data: { org_id, position: 0 } });

/** As if a confirmation mail had been sent, which is too old to count. */
export const storeConfirmationMail = ({ services }: TestServer, org_id: string) =>
  services.database.prisma.alert_confirmation_mail.create({
    data: { id: uuidv7(), org_id, address_digest: "none", sent_at: new Date(0) },
  });

/** As if a limit had refused a request, which is too old for any alert. */
export const storeLimitRefusal = ({ services }: TestServer, org_id: string) =>
  services.database.prisma.limit_refusal.create({
    data: { org_id, minute: new Date(0), limit_of: "organisation", limit_id: org_id, count: 1 },
  });

/** As if a witness had signed the log before it had an entry. */
export const storeCosignature = ({ services }: TestServer, org_id: string) =>
  services.database.prisma.log_cosignature.create({
    data: { org_id, witness: "none", size: 0, checkpoint: "", line: "", cosigned_at: new Date(0) },
  });

/** As if a checkpoint had been published before the log had an entry. */
export const storePublication = ({ services }: TestServer, org_id: string) =>
  services.database.prisma.log_publication.create({
    data: { org_id, target: "none", size: 0, checkpoint: "", published_at: new Date(0) },
  });

/** As if an authority had stamped the log before it had an entry. */
export const storeTimestamp = ({ services }: TestServer, org_id: string) =>
  services.database.prisma.log_timestamp.create({
    data: {
      ...{ id: uuidv7(), org_id, authority: "none", size: 0, checkpoint: `Of ${org_id}` },
      ...{ response: new Uint8Array(), stamped_at: new Date(0) },
    },
  });
