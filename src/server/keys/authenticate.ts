import { type Caller, unauthorized } from "#server/access/caller.ts";
import { organisationSuspended } from "#server/access/suspension.ts";
import type { Freshness } from "#server/db/index.ts";
import { clock } from "#server/platform/clock.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { AppError } from "#server/platform/errors.ts";
import type { KeyDirectory } from "./directory.ts";
import { isOurs, parseKey } from "./format.ts";

interface KeyCheck {
  readonly prefix: string;
  readonly directory: KeyDirectory;
  /** How old the directory is: an old one cannot say that a key is unknown, a stale one not that it still counts. */
  readonly freshness: Freshness;
}

/** Takes the key out of `Authorization: Bearer` or `x-api-key`; null when neither is there. */
export function credentialOf(authorization: string | undefined, apiKey: string | undefined): string | null {
  const bearer = authorization === undefined ? null : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) throw unauthorized("The authorization header must read `Bearer <key>`");
  if (bearer !== null && apiKey !== undefined && bearer !== apiKey) {
    throw new AppError("BAD_REQUEST", "authorization and x-api-key name different keys; send one of them");
  }
  return bearer ?? apiKey ?? null;
}

/**
 * The caller behind a key. Throws UNAUTHORIZED, ORGANISATION_SUSPENDED for a key that would count otherwise, or
 * SERVICE_UNAVAILABLE while the directory cannot tell.
 */
export function authenticateKey(key: string, { prefix, directory, freshness }: KeyCheck): Caller {
  const known = isOurs(key, prefix) ? directory.get(sha256(key)) : undefined;
  const expired = known && known.expiresAtMs !== null && known.expiresAtMs <= clock.nowMs();
  const certain = freshness === "current" || (known && freshness === "old");
  if (!expired && !certain && (known || parseKey(key, prefix))) {
    throw new AppError("SERVICE_UNAVAILABLE", "API keys cannot be checked at the moment", {
      headers: { "retry-after": "5" },
    });
  }
  if (!known || expired) throw unauthorized("The API key is unknown, disabled or expired");
  if (known.suspension) throw organisationSuspended(known.suspension);
  return known.caller;
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
