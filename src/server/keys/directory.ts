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
  permissions: true,
  expires_at: true,
};

/** Loads the keys that are not disabled. */
export async function loadKeyDirectory(prisma: PrismaClient): Promise<KeyDirectory> {
  const rows = await prisma.api_key.findMany({ where: { disabled: false }, select: columns });
  return new Map(
    rows.map((row) => [
      row.digest,
      {
        expiresAtMs: row.expires_at?.getTime() ?? null,
        caller: {
          kind: "key" as const,
          keyId: row.id,
          keyName: row.name,
          orgId: row.org_id,
          userId: row.user_id,
          workspaceId: row.workspace_id,
          permissions: new Set(row.permissions.filter(isPermission)),
        },
      },
    ]),
  );
}
