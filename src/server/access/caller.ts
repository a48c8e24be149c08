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

/** Who is acting, authenticated once at the edge: a program with an API key, or a person with a session. */
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

/** Throws UNAUTHORIZED without a caller. */
export function requireCaller(caller: Caller | null): Caller {
  if (!caller) throw unauthorized("Send your API key as `Authorization: Bearer <key>`");
  return caller;
}

/** 401 with the challenge RFC 6750 asks for. */
export const unauthorized = (message: string): AppError =>
  new AppError("UNAUTHORIZED", message, { headers: { "www-authenticate": "Bearer" } });
