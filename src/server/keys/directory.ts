import type { PrismaClient } from "#generated/prisma/client.ts";
import type { Budget, Caller } from "#server/access/caller.ts";
import { isPermission, type Permission, permissionsOf } from "#server/access/permissions.ts";
import { type Suspension, suspensionColumns, suspensionOf } from "#server/access/suspension.ts";
import { type LimitColumn, limitOf } from "#server/accounts/index.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

interface KnownKey {
  readonly caller: KeyCaller;
  readonly expiresAtMs: number | null;
  /** Of its organisation: while there is one the key is known, and nothing is done for it. */
  readonly suspension: Suspension | null;
}

/** Every usable key by its full digest: what the inference path asks instead of the database. */
export type KeyDirectory = ReadonlyMap<string, KnownKey>;

const columns = {
  id: true,
  digest: true,
  name: true,
  org_id: true,
  workspace_id: true,
  user_id: true,
  parent_id: true,
  maker_id: true,
  app_host: true,
  permissions: true,
  models_restricted: true,
  allowed_models: true,
  limit_pico_eur: true,
  requests_per_minute: true,
  workspace: { select: { limit_pico_eur: true } },
  org: { select: suspensionColumns },
  expires_at: true,
} as const;

/** What the owner of each key may do where the key acts: a key is never more than its owner today. */
type OwnerPermissions = ReadonlyMap<string, ReadonlySet<Permission>>;
const ownerKey = ({ org_id, user_id }: { org_id: string; user_id: string }) => `${org_id} ${user_id}`;

async function readOwnerPermissions(prisma: PrismaClient): Promise<OwnerPermissions> {
  const members = await prisma.member.findMany({
    where: { disabled: false },
    select: { org_id: true, user_id: true, role: true },
  });
  return new Map(members.map((member) => [ownerKey(member), permissionsOf(member.role)]));
}

const readRows = (prisma: PrismaClient) =>
  prisma.api_key.findMany({ where: { disabled: false }, select: columns });
type Row = Awaited<ReturnType<typeof readRows>>[number];

/** A key and those before it, itself first; null when one of them is disabled: they end together. */
function lineageOf(row: Row, byId: ReadonlyMap<string, Row>, by: "maker_id" | "parent_id"): Row[] | null {
  const lineage = [row];
  for (let next = row[by]; next !== null; ) {
    const before = byId.get(next);
    if (!before) return null;
    lineage.push(before);
    next = before[by];
  }
  return lineage;
}

function budgetsOf({ workspace, workspace_id: workspaceId }: Row, lineage: readonly Row[]): Budget[] {
  const budget = (owner: Budget["owner"], id: string, row: LimitColumn): Budget[] => {
    const limit = limitOf(row);
    return limit === null ? [] : [{ id, owner, limit }];
  };
  return [
    ...lineage.flatMap((row) => budget("key", row.id, row)),
    ...(workspaceId !== null && workspace ? budget("workspace", workspaceId, workspace) : []),
  ];
}

interface Terms {
  /** What its owner may do. */
  readonly allowed: ReadonlySet<Permission>;
  readonly defaultPerMinute: number;
}

interface Lineage {
  /** The key and those that made it. */
  readonly makers: readonly Row[];
  /** The key and those whose limits it spends from. */
  readonly limited: readonly Row[];
}

function knownKey(row: Row, { makers, limited }: Lineage, { allowed, defaultPerMinute }: Terms): KnownKey {
  const ends = makers.flatMap(({ expires_at }) => expires_at?.getTime() ?? []);
  return {
    expiresAtMs: ends.length === 0 ? null : Math.min(...ends),
    suspension: suspensionOf(row.org),
    caller: {
      kind: "key",
      keyId: row.id,
      keyName: row.name,
      isApp: row.app_host !== null,
      orgId: row.org_id,
      userId: row.user_id,
      workspaceId: row.workspace_id,
      permissions: new Set(
        row.permissions.filter(isPermission).filter((permission) => allowed.has(permission)),
      ),
      hasBounds:
        makers.some(({ expires_at, limit_pico_eur }) => expires_at !== null || limit_pico_eur !== null) ||
        row.workspace_id !== null ||
        row.models_restricted ||
        row.requests_per_minute !== null,
      allowedModels: row.models_restricted ? new Set(row.allowed_models) : null,
      budgets: budgetsOf(row, limited),
      requestsPerMinute: row.requests_per_minute ?? defaultPerMinute,
    },
  };
}

/**
 * Loads the keys that are not disabled, nor made by one that is, and whose owner belongs to their organisation. `defaultPerMinute` is
 * the rate of keys without one of their own.
 */
export async function loadKeyDirectory(
  prisma: PrismaClient,
  defaultPerMinute: number,
): Promise<KeyDirectory> {
  const [rows, ownerPermissions] = await Promise.all([readRows(prisma), readOwnerPermissions(prisma)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const directory = new Map<string, KnownKey>();
  for (const row of rows) {
    const [makers, limited] = [lineageOf(row, byId, "maker_id"), lineageOf(row, byId, "parent_id")];
    const allowed = ownerPermissions.get(ownerKey(row));
    if (makers && limited && allowed)
      directory.set(row.digest, knownKey(row, { makers, limited }, { allowed, defaultPerMinute }));
  }
  return directory;
}
