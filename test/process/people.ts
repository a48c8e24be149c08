import type { Caller } from "#server/access/caller.ts";
import type { Role } from "#server/access/permissions.ts";
import { permissionsOf } from "#server/access/permissions.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createOrganisation, keyPrefix, type TestOrganisation } from "#test/factories.ts";
import type { TestServer } from "./server.ts";

export interface Person {
  readonly userId: string;
  readonly keyId: string;
  readonly key: string;
}

/** One more person in an organisation, with a key that may do what their role may. */
export async function join(
  { services }: TestServer,
  { orgId, caller }: { readonly orgId: string; readonly caller: Caller },
  role: Role,
  workspaceId: string | null = null,
): Promise<Person> {
  const userId = uuidv7();
  const key = mintKey(keyPrefix);
  const keyId = await services.database.transaction(async (tx) => {
    await tx.user.create({ data: { id: userId, name: role, email: `${userId}@test.example` } });
    await tx.member.create({ data: { org_id: orgId, user_id: userId, role } });
    const permissions = [...permissionsOf(role)];
    return storeKey(tx, caller, key, keyPrefix, { name: role, orgId, userId, permissions, workspaceId });
  });
  await services.refreshSnapshot();
  return { userId, keyId, key };
}

/** An organisation with an owner and a workspace, known to the server. */
export async function newOrganisation(
  server: TestServer,
): Promise<TestOrganisation & { workspaceId: string }> {
  const { database } = server.services;
  const made = await createOrganisation(database);
  const { id } = await database.prisma.workspace.create({ data: { org_id: made.orgId, name: "Research" } });
  await server.services.refreshSnapshot();
  return { ...made, workspaceId: id };
}
