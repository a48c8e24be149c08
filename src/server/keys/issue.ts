import { record } from "#server/audit/record.ts";
import type { Caller } from "#server/auth/caller.ts";
import type { Permission } from "#server/auth/permissions.ts";
import { raiseConfigVersion, type Tx } from "#server/db/index.ts";
import { parseKey } from "./format.ts";

export interface KeyGrant {
  readonly name: string;
  readonly orgId: string;
  readonly userId: string;
  readonly permissions: readonly Permission[];
}

/** Stores a minted key in the caller's transaction. The plain text is not kept. */
export async function storeKey(
  tx: Tx,
  caller: Caller,
  key: string,
  prefix: string,
  grant: KeyGrant,
): Promise<string> {
  const parsed = parseKey(key, prefix);
  if (!parsed) throw new RangeError("Not a well-formed API key of this installation");
  const row = await tx.api_key.create({
    data: {
      public_id: parsed.publicId,
      digest: parsed.digest,
      last_four: parsed.lastFour,
      name: grant.name,
      org_id: grant.orgId,
      user_id: grant.userId,
      permissions: [...grant.permissions],
    },
    select: { id: true },
  });
  await record(tx, caller, {
    action: "api_key.create",
    subject: { type: "api_key", id: row.id },
    after: { name: grant.name, public_id: parsed.publicId, permissions: [...grant.permissions] },
  });
  await raiseConfigVersion(tx);
  return row.id;
}
