import type { OrganisationDelete } from "#contract/organisation.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { type Database, erasePersonal, type Tx } from "#server/db/index.ts";
import type { Queue } from "#server/jobs/queue.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { lockOrganisation } from "./manage-organisations.ts";
import type { Operator } from "./operator.ts";
import { changeOrganisation } from "./organisation-audit.ts";

/** Counts of what is deleted with an organisation, for the audit log. */
async function countRows(tx: Tx, org_id: string): Promise<Record<string, number>> {
  const where = { org_id };
  return {
    members: await tx.member.count({ where }),
    api_keys: await tx.api_key.count({ where }),
    workspaces: await tx.workspace.count({ where }),
    routing_rules: await tx.routing_rule.count({ where }),
    destinations: await tx.destination.count({ where }),
    provider_credentials: await tx.provider_credential.count({ where }),
    budgets: await tx.budget.count({ where }),
    presets: await tx.preset.count({ where }),
    alert_rules: await tx.alert_rule.count({ where }),
    alert_channels: await tx.alert_channel.count({ where }),
    catalogue_updates: await tx.catalogue_update.count({ where }),
    catalogue_entries: await tx.catalogue_entry.count({ where }),
    invitations: await tx.invitation.count({ where }),
    conversations: await tx.conversation.count({ where }),
    stored_completions: await tx.stored_completion.count({ where }),
    stored_responses: await tx.stored_response.count({ where }),
  };
}

/** The accounts of its budgets' counters, and their leases. Accounts are locked before leases, as everywhere. */
async function deleteCounterAccounts(tx: Tx, orgId: string): Promise<void> {
  const counters = await tx.budget_counter.findMany({
    where: { budget: { org_id: orgId } },
    select: { account_id: true },
  });
  const ids = counters.map(({ account_id }) => account_id).sort();
  await tx.$executeRaw`
    select account_id from credit_balance where account_id = any(${ids}::uuid[]) order by account_id for update`;
  await tx.$executeRaw`delete from credit_lease where account_id = any(${ids}::uuid[])`;
  await tx.$executeRaw`delete from credit_balance where account_id = any(${ids}::uuid[])`;
}

/**
 * Permanently deletes a suspended organisation: memberships, keys, workspaces, rules, destinations, credentials,
 * catalogue entries, budgets, presets, alerts and invitations at once; stored responses, conversations, chat
 * completions and refused requests by a job. The ledger, the records of requests and the audit log remain. Throws
 * CONFLICT unless it is suspended, or if it has a legal hold, BAD_REQUEST for another name.
 */
export async function deleteOrganisation(
  { database, queue }: { readonly database: Database; readonly queue: Queue },
  operator: Operator<"organisations:write">,
  { id, name }: OrganisationDelete,
): Promise<void> {
  const change = { database, operator, action: "organisation.delete" };
  await changeOrganisation(changeConfiguration, change, async (tx) => {
    const before = await lockOrganisation(tx, id);
    if (before.is_operator)
      throw new AppError("CONFLICT", "The organisation that runs this installation cannot be deleted");
    if (before.state !== "suspended")
      throw new AppError("CONFLICT", "Suspend the organisation first: only then nobody acts for it any more");
    if (name !== undefined && name.trim() !== before.name)
      throw new AppError("BAD_REQUEST", `name: must be the name of the organisation, ${before.name}`, {
        param: "name",
      });
    if ((await tx.legal_hold.count({ where: { org_id: id, released_at: null } })) > 0)
      throw new AppError("CONFLICT", "The organisation has legal holds: its owner has to release them first");
    const deleted = await countRows(tx, id);
    // They belong to no person, and nobody else can reach them.
    const accounts = await tx.user.findMany({
      where: { kind: "service", members: { some: { org_id: id } } },
      select: { id: true },
    });
    await tx.authorization_code.deleteMany({ where: { org_id: id } });
    await tx.idempotent_request.deleteMany({ where: { org_id: id } });
    await deleteCounterAccounts(tx, id);
    await tx.organisation.delete({ where: { id } });
    await tx.user.deleteMany({ where: { kind: "service", id: { in: accounts.map((one) => one.id) } } });
    await queue.enqueue(tx, "forget-organisation", { id });
    // Requests that were in progress at the deletion have ended by then.
    await queue.enqueue(
      tx,
      "forget-organisation",
      { id },
      { delaySeconds: limits.deletion.againAfterSeconds },
    );
    return { result: undefined, audit: { id, before: { ...before, deleted } } };
  });
  queue.wake("forget-organisation");
}

type Place = { readonly id: string; readonly started_at: Date };

/**
 * The job behind it, in short steps that block nobody: deletes stored prompts, answers and refused requests of a
 * deleted organisation, and removes personal data from its records of requests.
 */
export async function purgeOrganisation(database: Database, org_id: string): Promise<void> {
  const { prisma } = database;
  if ((await prisma.organisation.count({ where: { id: org_id } })) > 0) return;
  const rowsMax = limits.deletion.rowsTogether;
  const untilNone = async (part: () => Promise<number>) => {
    while ((await part()) === rowsMax);
  };
  await untilNone(
    () => prisma.$executeRaw`
      delete from stored_response where id in (
        select id from stored_response where org_id = ${org_id}::uuid limit ${rowsMax})`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      delete from conversation where id in (
        select id from conversation where org_id = ${org_id}::uuid limit ${rowsMax})`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      delete from stored_completion where id in (
        select id from stored_completion where org_id = ${org_id}::uuid limit ${rowsMax})`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      delete from refused_request where id in (
        select id from refused_request where org_id = ${org_id}::uuid limit ${rowsMax})`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      delete from limit_refusal where ctid = any(array(
        select ctid from limit_refusal where org_id = ${org_id}::uuid limit ${rowsMax}))`,
  );
  await prisma.tag_value.deleteMany({ where: { org_id } });
  await prisma.latency_hour.deleteMany({ where: { org_id } });
  await untilNone(
    () => prisma.$executeRaw`
      delete from usage_hour where ctid = any(array(
        select ctid from usage_hour where org_id = ${org_id}::uuid limit ${rowsMax}))`,
  );
  await untilNone(
    () => prisma.$executeRaw`
      delete from usage_tag_day where ctid = any(array(
        select ctid from usage_tag_day where org_id = ${org_id}::uuid limit ${rowsMax}))`,
  );
  for (let place: Place | undefined, at = 0; at === 0 || place; at++) {
    const part: Place[] = await prisma.generation.findMany({
      where: {
        org_id,
        ...(place && {
          // The first condition uses the index; the second one separates rows of the same millisecond.
          started_at: { lte: place.started_at },
          OR: [{ started_at: { lt: place.started_at } }, { id: { gt: place.id } }],
        }),
      },
      orderBy: [{ started_at: "desc" }, { id: "asc" }],
      take: rowsMax,
      select: { id: true, started_at: true },
    });
    await erasePersonal(
      database,
      org_id,
      part.map(({ id }) => id),
    );
    place = part.at(-1);
  }
}
