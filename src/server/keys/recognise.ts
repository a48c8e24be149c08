import { type Caller, unauthorized } from "#server/auth/caller.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import type { KeyDirectory } from "./directory.ts";
import { parseKey } from "./format.ts";

interface KeyCheck {
  readonly prefix: string;
  readonly directory: KeyDirectory;
  /** False when the directory is too old to say that a key is unknown. */
  readonly fresh: boolean;
}

/** Takes the key out of `Authorization: Bearer` or `x-api-key`; null when neither is there. */
export function presentedKey(authorization: string | undefined, apiKey: string | undefined): string | null {
  const bearer = authorization === undefined ? null : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) throw unauthorized("The authorization header must read `Bearer <key>`");
  if (bearer !== null && apiKey !== undefined && bearer !== apiKey) {
    throw new AppError("BAD_REQUEST", "authorization and x-api-key name different keys; send one of them");
  }
  return bearer ?? apiKey ?? null;
}

/** The caller behind a key. Throws UNAUTHORIZED, or SERVICE_UNAVAILABLE while the directory cannot tell. */
export function recogniseKey(key: string, { prefix, directory, fresh }: KeyCheck): Caller {
  const parsed = parseKey(key, prefix);
  const known = parsed && directory.get(parsed.digest);
  if (known && (known.expiresAtMs === null || known.expiresAtMs > clock.nowMs())) return known.caller;
  if (parsed && !known && !fresh) {
    throw new AppError("SERVICE_UNAVAILABLE", "API keys cannot be checked at the moment", {
      headers: { "retry-after": "5" },
    });
  }
  throw unauthorized("The API key is unknown, disabled or expired");
}

/**
 * The caller, when the organisation a request names in `x-org-id` is theirs. A key belongs to one organisation.
 * Throws FORBIDDEN for any other, known or not.
 */
export function actingFor(caller: Caller, orgId: string | string[] | undefined): Caller {
  if (orgId === undefined || (typeof orgId === "string" && orgId.toLowerCase() === caller.orgId))
    return caller;
  throw new AppError("FORBIDDEN", "x-org-id: this key does not act for that organisation", {
    param: "x-org-id",
  });
}
