import type { Caller } from "#server/access/caller.ts";
import type { Permission } from "#server/access/permissions.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";

/** The permission to use other people's responses, which administrators of an organisation have. */
const administrative = {
  read: ["audit:read"],
  change: ["audit:read", "members:write"],
} as const satisfies Record<string, readonly Permission[]>;

/** Reading a response in any way, including continuing it, or deleting and cancelling it. */
export type ResponseUse = keyof typeof administrative;

/** Whose stored responses a caller may use. */
export interface ResponseScope {
  readonly orgId: string;
  /** Null: of every workspace, and of none. */
  readonly workspaceId: string | null;
  /** False: only those of `keyId` and `userId`. */
  readonly everybodys: boolean;
  readonly keyId: string | null;
  readonly userId: string | null;
}

/**
 * A response belongs to the key that made it and to the owner of that key; administrators may use all of them. An
 * application's key may use its own only, and a key of a workspace only those of its workspace.
 */
export function scopeOf(caller: Caller, use: ResponseUse = "read"): ResponseScope {
  const { orgId, userId, permissions } = caller;
  const key = caller.kind === "key" ? caller : null;
  const isApp = key?.isApp === true;
  return {
    orgId,
    workspaceId: key?.workspaceId ?? null,
    everybodys: !isApp && administrative[use].every((permission) => permissions.has(permission)),
    keyId: key?.keyId ?? null,
    userId: isApp ? null : userId,
  };
}

/** The accessible stored responses that have not expired, as a condition. */
export const storedWithin = ({ orgId, workspaceId, everybodys, keyId, userId }: ResponseScope) => ({
  org_id: orgId,
  expires_at: { gt: dateAt(clock.nowMs()) },
  ...(workspaceId !== null && { workspace_id: workspaceId }),
  ...(!everybodys && {
    OR: [
      ...(keyId === null ? [] : [{ api_key_id: keyId }]),
      ...(userId === null ? [] : [{ user_id: userId }]),
    ],
  }),
});

/** The refusal for stored data that may be read and not changed. */
export const mayOnlyRead = (
  what: "responses" | "conversations" | "chat completions" = "responses",
): AppError =>
  new AppError(
    "FORBIDDEN",
    `Changing other people's ${what} requires ${administrative.change.join(" and ")}`,
    {
      metadata: { permission: administrative.change.at(-1) },
    },
  );
