import type { SentInvitation } from "#contract/member.ts";
import type {
  ManagedOrganisation,
  OrganisationCreate,
  OrganisationSuspend,
  OrganisationUpdate,
  OwnerInvitation,
} from "#contract/organisation.ts";
import type { Caller } from "#server/access/caller.ts";
import { excessOf } from "#server/access/grants.ts";
import { changeConfiguration, changeRecords } from "#server/audit/change.ts";
import { record } from "#server/audit/record.ts";
import type { Database, Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { randomBase62, uuidv7 } from "#server/platform/ids.ts";
import { putInvitation } from "./invitations.ts";
import { managedOrganisation } from "./managed-organisations.ts";
import type { Notifications } from "./notifications.ts";
import { type Operator, ownerByOperator } from "./operator.ts";
import { changeOrganisation, recordForOrganisation } from "./organisation-audit.ts";
import { lockMembers } from "./roles.ts";

interface OrganisationDeps {
  readonly database: Database;
  readonly notifications: Notifications;
}

/** Gives a new organisation its starting credit, in the transaction that makes it. */
type AddStartingCredit = (tx: Tx, operator: Operator<"organisations:write">, orgId: string) => Promise<void>;

const slugCharsMax = 50;

/** The form of a name in links and traces: `Université de Liège` is `universite-de-liege`. */
function slugOf(name: string): string {
  const words =
    name
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const slug = words.join("-").slice(0, slugCharsMax).replace(/-$/, "");
  return slug || "organisation";
}

/** Writes the organisation; if the slug is taken, it gets a suffix. Returns its id. */
async function insert(tx: Tx, name: string): Promise<string> {
  const id = uuidv7();
  const slug = slugOf(name);
  const { count } = await tx.organisation.createMany({ data: [{ id, name, slug }], skipDuplicates: true });
  if (count === 0)
    await tx.organisation.create({ data: { id, name, slug: `${slug}-${randomBase62(8).toLowerCase()}` } });
  return id;
}

/** Throws FORBIDDEN for a key with limits: an owner has none, and nobody grants more than they have. */
function assertMayInviteOwner(operator: Caller): void {
  const excess = excessOf(operator, ownerByOperator);
  if (excess !== null) throw new AppError("FORBIDDEN", `An owner cannot be invited with this key: ${excess}`);
}

/** Returns the organisation, locked until the transaction ends. Throws NOT_FOUND. */
export async function lockOrganisation(tx: Tx, id: string): Promise<ManagedOrganisation> {
  await lockMembers(tx, id);
  return managedOrganisation(tx, id);
}

const invitedOwner = { role: "owner", byOperator: true } as const;

/** Makes an organisation and invites its owner. The operator who makes it does not become a member. */
export async function createOrganisation(
  { database, notifications }: OrganisationDeps,
  operator: Operator<"organisations:write">,
  { name, owner_email: email }: OrganisationCreate,
  addStartingCredit: AddStartingCredit,
): Promise<{ data: ManagedOrganisation; link: string | null }> {
  assertMayInviteOwner(operator);
  const made = await database.transaction(async (tx) => {
    const id = await insert(tx, name);
    const entry = {
      action: "organisation.create",
      subject: { type: "organisation", id },
      after: { name, owner: email },
    };
    await record(tx, operator, entry);
    await recordForOrganisation(tx, operator, entry);
    await addStartingCredit(tx, operator, id);
    const { link } = await putInvitation(tx, notifications, operator, { orgId: id, email, ...invitedOwner });
    return { data: await managedOrganisation(tx, id), link };
  });
  notifications.post();
  return made;
}

/** Invites an owner of an organisation: the first one again, or another one if no owner can. */
export async function inviteOwner(
  { database, notifications }: OrganisationDeps,
  operator: Operator<"organisations:write">,
  { id, email }: OwnerInvitation,
): Promise<SentInvitation> {
  assertMayInviteOwner(operator);
  const change = { database, operator, action: "organisation.invite_owner" };
  const sent = await changeOrganisation(changeRecords, change, async (tx) => {
    await lockOrganisation(tx, id);
    const made = await putInvitation(tx, notifications, operator, { orgId: id, email, ...invitedOwner });
    return { result: made, audit: { id, after: { email } } };
  });
  notifications.post();
  return sent;
}

/** Renames an organisation. Its slug stays, because links and traces contain it. */
export async function updateOrganisation(
  database: Database,
  operator: Operator<"organisations:write">,
  { id, name }: OrganisationUpdate,
): Promise<ManagedOrganisation> {
  const change = { database, operator, action: "organisation.update" };
  return changeOrganisation(changeRecords, change, async (tx) => {
    const before = await lockOrganisation(tx, id);
    await tx.organisation.update({ where: { id }, data: { name } });
    const audit = { id, before: { name: before.name }, after: { name } };
    return { result: await managedOrganisation(tx, id), audit };
  });
}

/**
 * Suspends an organisation: its keys and sessions are refused with the reason. Requests in progress end normally and
 * are booked. Suspending again changes the reason. Throws CONFLICT for the organisation that runs the installation.
 */
export async function suspendOrganisation(
  database: Database,
  operator: Operator<"organisations:write">,
  { id, reason }: OrganisationSuspend,
): Promise<ManagedOrganisation> {
  const change = { database, operator, action: "organisation.suspend" };
  return changeOrganisation(changeConfiguration, change, async (tx) => {
    const before = await lockOrganisation(tx, id);
    if (before.is_operator)
      throw new AppError("CONFLICT", "The organisation that runs this installation cannot be suspended");
    const suspended_at = before.suspended_at ?? dateAt(clock.nowMs());
    await tx.organisation.update({ where: { id }, data: { suspended_at, suspended_reason: reason } });
    const audit = {
      id,
      before: { state: before.state, reason: before.suspended_reason },
      after: { state: "suspended", reason },
    };
    return { result: await managedOrganisation(tx, id), audit };
  });
}

/** Resumes a suspended organisation unchanged. Does nothing for one that is not suspended. */
export async function resumeOrganisation(
  database: Database,
  operator: Operator<"organisations:write">,
  id: string,
): Promise<ManagedOrganisation> {
  const change = { database, operator, action: "organisation.resume" };
  return changeOrganisation(changeConfiguration, change, async (tx) => {
    const before = await lockOrganisation(tx, id);
    if (before.state === "active") return { result: before, audit: null };
    await tx.organisation.update({ where: { id }, data: { suspended_at: null, suspended_reason: null } });
    const audit = {
      id,
      before: { state: before.state, reason: before.suspended_reason },
      after: { state: "active" },
    };
    return { result: await managedOrganisation(tx, id), audit };
  });
}
