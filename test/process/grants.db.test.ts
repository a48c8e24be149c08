import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import {
  isPermission,
  type Permission,
  permissions,
  permissionsOf,
  type Role,
} from "#server/access/permissions.ts";
import { createCaller } from "#server/api/root.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { inputOf, operations, type PlannedOperation } from "./operation-plans.ts";
import { join, type Person } from "./people.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services } = server;
const { prisma } = services.database;
const ours = await populateOrganisation(server);
const where = { org_id: ours.orgId };
const roles: readonly Role[] = ["owner", "admin", "member", "viewer"];

/** One person of each role, so that there is somebody of each to decide about. */
const people = new Map<Role, Person>();
for (const role of roles) people.set(role, await join(server, ours, role));
/** Disabled, so that somebody could switch them on again. */
await prisma.api_key.updateMany({
  where: { id: { in: [...people.values()].map(({ keyId }) => keyId) } },
  data: { disabled: true },
});
const hashes = (
  await prisma.api_key.findMany({ where: { ...where, disabled: true, name: { not: "member" } } })
).map(({ public_id }) => public_id);
const open = new Map<Role, string>();
for (const role of roles) {
  const made = await server.post(
    "/invitations",
    { email: `${role}-${uuidv7()}@x.example`, role },
    { key: ours.key },
  );
  open.set(role, ((await made.json()) as { data: { id: string } }).data.id);
}

/** The permissions of a caller as a row of the tables defines them; its text shows changes. */
interface Held {
  readonly text: string;
  readonly permissions: ReadonlySet<Permission>;
}

const text = (row: object): string =>
  JSON.stringify(row, (_, value) => (typeof value === "bigint" ? `${value}` : value));

async function handedOut(): Promise<Map<string, Held>> {
  const members = await prisma.member.findMany({ where });
  const roleOf = new Map(members.map(({ user_id, role }) => [user_id, role]));
  const keys = await prisma.api_key.findMany({ where, omit: { last_used_at: true } });
  const held = new Map<string, Held>();
  for (const row of members)
    held.set(`member ${row.id}`, {
      text: text(row),
      permissions: row.disabled ? new Set() : permissionsOf(row.role),
    });
  for (const row of await prisma.invitation.findMany({ where }))
    held.set(`invitation ${row.id}`, { text: text(row), permissions: permissionsOf(row.role) });
  for (const row of await prisma.authorization_code.findMany({ where }))
    held.set(`code ${row.id}`, {
      text: text(row),
      permissions: new Set(row.permissions.filter(isPermission)),
    });
  for (const row of keys) {
    const owner = permissionsOf(roleOf.get(row.user_id) ?? "");
    const own = row.disabled ? [] : row.permissions.filter(isPermission).filter((each) => owner.has(each));
    held.set(`key ${row.id}`, { text: text(row), permissions: new Set(own) });
  }
  return held;
}

type Body = Record<string, unknown>;

const several: Record<string, readonly unknown[]> = {
  role: roles,
  "serviceAccounts.role": roles.filter((role) => role !== "owner"),
  permissions: [...permissions.map((permission) => [permission]), [...permissions]],
  disabled: [false],
  "keys.hash": hashes,
  "members.user_id": [...people.values()].map(({ userId }) => userId),
  "invitations.id": [...open.values()],
  service_account_id: [ours.serviceAccountId],
};

/** Every way of asking for power that an operation's fields leave: each value of each such field. */
function requestsOf(operation: PlannedOperation): Body[] {
  const fields = Object.keys((operation.input as { shape?: object } | null)?.shape ?? {});
  const own = inputOf(operation, ours);
  let preferences: Body[] = [own];
  for (const field of fields) {
    const values = several[`${operation.name.split(".")[0]}.${field}`] ?? several[field];
    if (!values) continue;
    const optional = !(field in own);
    preferences = preferences.flatMap((preference) => [
      ...(optional ? [preference] : []),
      ...values.map((value) => ({ ...preference, [field]: value })),
    ]);
  }
  // An address can be invited once.
  return preferences.map((preference) =>
    "email" in preference ? { ...preference, email: `${uuidv7()}@x.example` } : preference,
  );
}

async function succeeds(operation: PlannedOperation, caller: Caller, input: Body): Promise<boolean> {
  const signal = AbortSignal.timeout(10_000);
  let found: unknown = createCaller({ services, caller, requestId: "grants", ipAddress: null, signal });
  for (const part of operation.name.split(".")) found = (found as Record<string, unknown>)[part];
  try {
    await (found as (input: unknown) => Promise<unknown>)(input);
    return true;
  } catch (thrown) {
    const { code, message } = appErrorOf(thrown);
    if (code === "INTERNAL_ERROR" || code === "BAD_REQUEST") throw new Error(`${operation.name}: ${message}`);
    return false;
  }
}

/** As everything stood before anybody tried anything. */
const first = {
  users: await prisma.user.findMany({ where: { members: { some: where } } }),
  members: await prisma.member.findMany({ where }),
  keys: await prisma.api_key.findMany({ where }),
  invitations: await prisma.invitation.findMany({ where }),
};

/** Puts everything back, what was deleted included. */
async function restore(): Promise<void> {
  const { users, members, keys, invitations } = first;
  const added = (rows: readonly { id: string }[]) => ({ ...where, id: { notIn: rows.map(({ id }) => id) } });
  await prisma.user.createMany({ data: users, skipDuplicates: true });
  await prisma.authorization_code.deleteMany({ where: { ...where, used_at: null } });
  for (const [table, rows] of [
    [prisma.invitation, invitations],
    [prisma.api_key, keys],
    [prisma.member, members],
  ] as const) {
    const all = table as unknown as typeof prisma.member;
    await all.deleteMany({ where: added(rows) });
    await all.createMany({ data: rows as typeof members, skipDuplicates: true });
  }
  for (const { id, role, disabled } of members)
    await prisma.member.update({ where: { id }, data: { role, disabled } });
  for (const { id, permissions: held, disabled } of keys)
    await prisma.api_key.update({ where: { id }, data: { permissions: held, disabled } });
}

/** What of a caller's preferences came true, as rows that are new or changed. */
async function granted(operation: PlannedOperation, caller: Caller): Promise<[string, Held][]> {
  const all: [string, Held][] = [];
  let before = await handedOut();
  let successes = 0;
  for (const preference of requestsOf(operation)) {
    if (!(await succeeds(operation, caller, preference))) continue;
    successes++;
    const after = await handedOut();
    for (const [name, held] of after) if (before.get(name)?.text !== held.text) all.push([name, held]);
    before = after;
  }
  if (successes > 0) await restore();
  return all;
}

const key = ours.caller as Extract<Caller, { kind: "key" }>;
const person = (role: Role): Caller => ({
  ...{
    kind: "person",
    orgId: ours.orgId,
    userId: people.get(role)?.userId ?? "",
    email: "x@x.example",
    role,
  },
  permissions: permissionsOf(role),
});

/** Who answers questions of inference, which hand nothing out and cost time. */
const asking = new Set(["inference", "responses"]);
const mutations = operations.filter(
  ({ type, name, meta }) =>
    type === "mutation" && !asking.has(name.split(".")[0] ?? "") && meta.permission && !meta.rateLimit,
);

const granting = new Set<string>();

describe.each(mutations)("$name", (operation) => {
  const needed = operation.meta.permission as Permission;
  const callers: [string, Caller][] = [
    ...permissions.map((one): [string, Caller] => [
      `a key with ${needed} and ${one} alone`,
      { ...key, permissions: new Set([needed, one]) },
    ]),
    ...roles.map((role): [string, Caller] => [`a session of an ${role}`, person(role)]),
  ];

  test("grants nobody more than the caller has", { timeout: 180_000 }, async () => {
    for (const [who, caller] of callers)
      for (const [name, held] of await granted(operation, caller)) {
        const beyond = [...held.permissions].filter((each) => !caller.permissions.has(each));
        expect(beyond, `${who} made ${name}`).toEqual([]);
      }
  });

  test("grants at all, if it is among those that do", { timeout: 60_000 }, async () => {
    const all = await granted(operation, key);
    if (all.some(([, held]) => held.permissions.size > 0)) granting.add(operation.name);
  });
});

test("the list of granting operations is complete", () => {
  expect([...granting].sort()).toEqual([
    "authorization.authorize",
    "authorization.code",
    "invitations.create",
    "invitations.resend",
    "keys.create",
    "keys.update",
    "members.update",
    "serviceAccounts.create",
  ]);
});
