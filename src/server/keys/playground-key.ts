import type { Caller } from "#server/access/caller.ts";
import { type Database, isUniqueViolation } from "#server/db/index.ts";
import { uuidv5 } from "#server/platform/ids.ts";
import type { KeyDirectory } from "./directory.ts";
import { mintKey } from "./format.ts";
import { storeKey } from "./issue.ts";

type Person = Extract<Caller, { kind: "person" }>;

/** Requests a person makes in the console run under a key of theirs that nobody ever saw the text of. */
const idOf = ({ orgId, userId }: Pick<Person, "orgId" | "userId">): string =>
  uuidv5(orgId, `playground:${userId}`);

/** Whether a key is the one that its owner's playground uses. */
export const isPlaygroundKey = (orgId: string, key: { id: string; creator_user_id: string }): boolean =>
  key.id === idOf({ orgId, userId: key.creator_user_id });

/**
 * The id of the key a person's playground uses, made at its first use. It is an ordinary key otherwise: listed,
 * limited, disabled and deleted like any other.
 */
export async function playgroundKey(database: Database, person: Person, prefix: string): Promise<string> {
  const id = idOf(person);
  const { orgId, userId } = person;
  const known = await database.prisma.api_key.findFirst({
    where: { id, org_id: orgId },
    select: { id: true },
  });
  if (known) return id;
  try {
    await database.transaction((tx) =>
      storeKey(tx, person, mintKey(prefix), prefix, {
        id,
        name: "Playground",
        orgId,
        userId,
        permissions: ["inference:use"],
      }),
    );
  } catch (error) {
    // Two tabs at once: the other one has just made it.
    if (!isUniqueViolation(error)) throw error;
  }
  return id;
}

/** The caller behind a key's id; null when the key, or its organisation, does not count at this moment. */
export function callerOfKey(directory: KeyDirectory, id: string, nowMs: number): Caller | null {
  for (const { caller, expiresAtMs, suspension } of directory.values())
    if (caller.keyId === id)
      return suspension || (expiresAtMs !== null && expiresAtMs <= nowMs) ? null : caller;
  return null;
}
