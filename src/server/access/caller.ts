import { AppError } from "#server/platform/errors.ts";
import type { Permission } from "./permissions.ts";

interface Acting {
  readonly orgId: string;
  readonly userId: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** A limit somebody set on what may be spent, in pico-EUR: of a key or of a workspace, by its id. */
export interface Budget {
  readonly id: string;
  readonly owner: "key" | "workspace";
  readonly limit: bigint;
}

/** Who is acting, recognised once at the edge: a program with an API key, or a person with a session. */
export type Caller =
  | (Acting & {
      readonly kind: "key";
      readonly keyId: string;
      readonly keyName: string;
      /** Issued to an application on the consent page: it never sees what others asked. */
      readonly isApp: boolean;
      readonly workspaceId: string | null;
      /** It ends, spends from a limit, or may use one workspace, some models or so many requests: so does what it makes. */
      readonly hasBounds: boolean;
      /** The models it may use; null = every model. */
      readonly allowedModels: ReadonlySet<string> | null;
      /** The limits its requests spend from: its own, those of the keys that made it, its workspace's. */
      readonly budgets: readonly Budget[];
      /** What it may ask in one minute. */
      readonly requestsPerMinute: number;
    })
  | (Acting & { readonly kind: "person"; readonly email: string; readonly role: string })
  | (Acting & { readonly kind: "system" });

/** The first line of what every caller may ask. Throws UNAUTHORIZED without one. */
export function demandCaller<Known extends Caller>(caller: Known | null): Known {
  if (!caller) throw unauthorized("Send your API key as `Authorization: Bearer <key>`");
  return caller;
}

/** The first line of every other verb. Throws UNAUTHORIZED without a caller, FORBIDDEN without the permission. */
export function demand<Known extends Caller>(caller: Known | null, permission: Permission): Known {
  const known = demandCaller(caller);
  if (!known.permissions.has(permission)) {
    throw new AppError("FORBIDDEN", `This needs the permission ${permission}`, { metadata: { permission } });
  }
  return known;
}

/** 401 with the challenge RFC 6750 asks for. */
export const unauthorized = (message: string): AppError =>
  new AppError("UNAUTHORIZED", message, { headers: { "www-authenticate": "Bearer" } });
