import type { PrismaClient } from "#generated/prisma/client.ts";
import type { Caller } from "#server/auth/caller.ts";
import { isPermission } from "#server/auth/permissions.ts";

type KeyCaller = Extract<Caller, { kind: "key" }>;

interface KnownKey {
  readonly caller: KeyCaller;
  readonly expiresAtMs: number | null;
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
  permissions: true,
  models_restricted: true,
  allowed_models: true,
  limit_pico_eur: true,
  expires_at: true,
} as const;

const readRows = (prisma: PrismaClient) =>
  prisma.api_key.findMany({ where: { disabled: false }, select: columns });
type Row = Awaited<ReturnType<typeof readRows>>[number];

/** A key and those that made it, itself first; null when one of them is disabled: they end together. */
function lineageOf(row: Row, byId: ReadonlyMap<string, Row>): Row[] | null {
  const lineage = [row];
  for (let at = row; at.parent_id !== null; ) {
    const parent = byId.get(at.parent_id);
    if (!parent) return null;
    lineage.push(parent);
    at = parent;
  }
  return lineage;
}

function knownKey(row: Row, lineage: readonly Row[]): KnownKey {
  const ends = lineage.flatMap(({ expires_at }) => expires_at?.getTime() ?? []);
  return {
    expiresAtMs: ends.length === 0 ? null : Math.min(...ends),
    caller: {
      kind: "key",
      keyId: row.id,
      keyName: row.name,
      orgId: row.org_id,
      userId: row.user_id,
      workspaceId: row.workspace_id,
      permissions: new Set(row.permissions.filter(isPermission)),
      allowedModels: row.models_restricted ? new Set(row.allowed_models) : null,
      budgets: lineage.filter(({ limit_pico_eur }) => limit_pico_eur !== null).map(({ id }) => id),
    },
  };
}

/** Loads the keys that are not disabled. */
export async function loadKeyDirectory(prisma: PrismaClient): Promise<KeyDirectory> {
  const rows = await readRows(prisma);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const directory = new Map<string, KnownKey>();
  for (const row of rows) {
    const lineage = lineageOf(row, byId);
    if (lineage) directory.set(row.digest, knownKey(row, lineage));
  }
  return directory;
}
