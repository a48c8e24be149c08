import { AppError } from "#server/platform/errors.ts";
import type { Permission } from "./permissions.ts";

interface Acting {
  readonly orgId: string;
  readonly userId: string;
  readonly permissions: ReadonlySet<Permission>;
}

/** A spending limit of a key or a workspace, in pico-EUR, with the id of its owner. */
export interface Budget {
  readonly id: string;
  readonly owner: "key" | "workspace";
  readonly limit: bigint;
}

/** Who makes a request, authenticated once at the edge: a program with an API key, or a person with a session. */
export type Caller =
  | (Acting & {
      readonly kind: "key";
      readonly keyId: string;
      readonly keyName: string;
      /** Issued to an application on the consent page: it cannot read other people's responses. */
      readonly isApp: boolean;
      readonly workspaceId: string | null;
      /**
       * It has an end, a spending limit, or a restriction to one workspace, some models or a request rate. What it
       * makes inherits these.
       */
      readonly hasBounds: boolean;
      /** The models it may use; null = every model. */
      readonly allowedModels: ReadonlySet<string> | null;
      /** The limits its requests spend from: its own, those of the keys that made it, its workspace's. */
      readonly budgets: readonly Budget[];
      /** Requests per minute. */
      readonly requestsPerMinute: number;
    })
  | (Acting & { readonly kind: "person"; readonly email: string; readonly role: string })
  | (Acting & { readonly kind: "system" });

/** The program itself. */
export type SystemCaller = Extract<Caller, { kind: "system" }>;

/** The program itself in an organisation, on behalf of a user where there is one. */
export const systemOf = (orgId: string, userId = orgId): SystemCaller => ({
  kind: "system",
  orgId,
  userId,
  permissions: new Set(),
});

/** Throws UNAUTHORIZED without a caller. */
export function requireCaller(caller: Caller | null): Caller {
  if (!caller) throw unauthorized("Send your API key as `Authorization: Bearer <key>`");
  return caller;
}

/** 401 with the challenge RFC 6750 asks for. */
export const unauthorized = (message: string): AppError =>
  new AppError("UNAUTHORIZED", message, { headers: { "www-authenticate": "Bearer" } });
