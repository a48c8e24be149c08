import { initTRPC, TRPCError } from "@trpc/server";
import type { OpenApiMeta } from "trpc-openapi";
import { ZodError } from "zod";
import type { ErrorCode } from "#contract/errors.ts";
import { authorize } from "#server/access/authorize.ts";
import { requireCaller, unauthorized } from "#server/access/caller.ts";
import type { Permission } from "#server/access/permissions.ts";
import { type RowScope, scopedCaller } from "#server/access/scope.ts";
import { authorizeOperator, type OperatorPermission } from "#server/accounts/index.ts";
import { withOrigin } from "#server/audit/origin.ts";
import type { OperationLimit } from "#server/auth/rate-limits.ts";
import { assertHasOrganisation } from "#server/auth/session.ts";
import { asInteractive, inBackground, waitFor } from "#server/db/index.ts";
import { AppError, errorEnvelope, toAppError, validationError } from "#server/platform/errors.ts";
import { maskSecretsIn } from "#server/platform/mask-secrets.ts";
import type { Context } from "./context.ts";

/** The metadata of every procedure, for the REST handler, the API document and the architecture tests. */
export type Meta = OpenApiMeta<{
  /** The required permission; absent if the procedure is public or open to every caller. */
  permission?: Permission;
  /** Where its rows belong: what it means for a key of a workspace. Required unless the procedure is public. */
  scope?: RowScope;
  /** It concerns only the signed-in person, who needs no permission for it. */
  personal?: true;
  /**
   * What a mutation does: its audit action, and whether it changes the configuration (what snapshots contain, such as
   * keys and rules), which this process must see before the answer is sent. Or why it writes no audit row.
   */
  audit?: { action: string; configuration: boolean } | { none: string };
  /** Over REST a retry with the same `Idempotency-Key` gets the first answer and changes nothing. */
  idempotent?: true;
  /** A request limit in addition to the general ones. */
  rateLimit?: OperationLimit;
  /** Input fields that are not masked: secrets that are stored sealed, one-time codes, prompts. */
  opaque?: readonly string[];
  /** The status of success when it is not 200. */
  status?: 201;
  /** With `stream: true` the answer is a stream of server-sent events. */
  streams?: true;
  /** Success is a redirect (302) to the output's `location`, a path of the console. */
  redirect?: true;
  /** How long caches may store a success, with an ETag; only for public data. */
  cacheSeconds?: number;
  /** Example of a request body or query for the reference. */
  example?: Record<string, unknown>;
  /** Example of its answer. */
  exampleAnswer?: unknown;
  /** Name of the operation in the reference, if it differs from the procedure's. */
  operationId?: string;
}>;

const trpcCodes: Partial<Record<ErrorCode, TRPCError["code"]>> = {
  BAD_REQUEST: "BAD_REQUEST",
  UNAUTHORIZED: "UNAUTHORIZED",
  INSUFFICIENT_QUOTA: "PAYMENT_REQUIRED",
  FORBIDDEN: "FORBIDDEN",
  ORGANISATION_SUSPENDED: "FORBIDDEN",
  NOT_FOUND: "NOT_FOUND",
  METHOD_NOT_ALLOWED: "METHOD_NOT_SUPPORTED",
  REQUEST_TIMEOUT: "TIMEOUT",
  CONFLICT: "CONFLICT",
  PRECONDITION_FAILED: "PRECONDITION_FAILED",
  PAYLOAD_TOO_LARGE: "PAYLOAD_TOO_LARGE",
  UNSUPPORTED_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  UNPROCESSABLE: "UNPROCESSABLE_CONTENT",
  RATE_LIMIT_EXCEEDED: "TOO_MANY_REQUESTS",
  PROVIDER_ERROR: "BAD_GATEWAY",
  SERVICE_UNAVAILABLE: "SERVICE_UNAVAILABLE",
  PROVIDER_TIMEOUT: "GATEWAY_TIMEOUT",
};

/** The error behind a tRPC error: one of ours, a validation error, or INTERNAL_ERROR. */
export function appErrorOf(thrown: unknown): AppError {
  if (!(thrown instanceof TRPCError)) return toAppError(thrown);
  if (thrown.cause instanceof AppError) return thrown.cause;
  if (thrown.cause instanceof ZodError && thrown.code === "BAD_REQUEST") return validationError(thrown.cause);
  if (thrown.code === "NOT_FOUND") return new AppError("NOT_FOUND", "No such procedure");
  if (thrown.code === "BAD_REQUEST" || thrown.code === "PARSE_ERROR") {
    return new AppError("BAD_REQUEST", "The request could not be read", { cause: thrown });
  }
  return toAppError(thrown.cause ?? thrown);
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    // The console gets the same envelope as REST, with the request id; stacks never leave the process.
    errorFormatter: ({ shape, error, ctx }) => {
      const envelope = errorEnvelope(appErrorOf(error), ctx?.requestId ?? "");
      return {
        ...shape,
        message: envelope.error.message,
        data: { httpStatus: shape.data.httpStatus, ...envelope },
      };
    },
  });

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** Returns an error of ours as a tRPC error with the code for its status. */
export const withCode = (cause: AppError): TRPCError =>
  new TRPCError({ code: trpcCodes[cause.code] ?? "INTERNAL_SERVER_ERROR", message: cause.message, cause });

/**
 * Returns anything thrown as a tRPC error, with the status of an error of ours. Validation errors stay as they are.
 */
export const answerable = (thrown: unknown): unknown => {
  const error = toAppError(thrown instanceof TRPCError ? (thrown.cause ?? thrown) : thrown);
  return error.code === "INTERNAL_ERROR" ? thrown : withCode(error);
};

/** Masks an API key in a field where none belongs, before anything is stored, logged or answered. */
function withoutSecrets(input: unknown, opaque: readonly string[] = []): unknown {
  if (typeof input !== "object" || input === null) return maskSecretsIn(input);
  const taken = Object.entries(input).filter(([name]) => opaque.includes(name));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !opaque.includes(name)));
  return taken.length === 0 ? maskSecretsIn(input) : { ...maskSecretsIn(rest), ...Object.fromEntries(taken) };
}

/** Who shares a queue for the database: requests of one organisation, else of one person or address. */
const holderOf = ({ caller, person, ipAddress }: Context): string =>
  caller?.orgId ?? person?.userId ?? ipAddress ?? "";

/**
 * Gives errors of ours the tRPC code for their status, gives audit rows the origin of the request, and limits the
 * time spent waiting for the database.
 */
const translated = t.procedure.use(async ({ ctx, meta, getRawInput, next }) => {
  const read = async () => withoutSecrets(await getRawInput(), meta?.opaque);
  try {
    return await asInteractive(holderOf(ctx), async () => {
      const result = await withOrigin(ctx, () => next({ getRawInput: read }));
      if (!result.ok) throw result.error.cause instanceof AppError ? result.error.cause : result.error;
      return result;
    });
  } catch (error) {
    throw answerable(error);
  }
});

const changesConfiguration = (meta: Meta | undefined): boolean =>
  meta?.audit !== undefined && "action" in meta.audit && meta.audit.configuration;

/** Callable without a caller. */
export const anyone = translated.use(async ({ ctx, meta, next }) => {
  // Counts each call of a batch; the REST handler counted before it read the body.
  await ctx.countCall?.(meta?.rateLimit);
  const result = await next();
  if (result.ok && changesConfiguration(meta)) await ctx.services.refreshSnapshot();
  return result;
});

/** Queries include what this process has spent so far. */
const caughtUp = async ({ services }: Context, type: string): Promise<void> => {
  if (type === "query") await waitFor(inBackground(() => services.billing.caughtUp()));
};

/** Every caller, without a permission: for procedures about the caller. */
export const authenticated = <Scope extends RowScope>(scope: Scope) =>
  anyone.meta({ scope }).use(async ({ ctx, type, next }) => {
    assertHasOrganisation(ctx);
    const caller = scopedCaller(requireCaller(ctx.caller), scope);
    await caughtUp(ctx, type);
    return next({ ctx: { ...ctx, caller } });
  });

/** A person signed in to the console, about their own account; `ctx.person` is set. */
export const personal = anyone.meta({ personal: true }).use(({ ctx, next }) => {
  const { person } = ctx;
  if (!person) throw unauthorized("Sign in to the console");
  return next({ ctx: { ...ctx, person } });
});

/**
 * Only callers with the permission, for which `ctx.caller` is authorised. `scope` says where the rows belong, so that
 * every procedure decides what a key of a workspace may do with it.
 */
export const permitted = <P extends Permission, Scope extends RowScope>(permission: P, scope: Scope) =>
  anyone.meta({ permission, scope }).use(async ({ ctx, type, next }) => {
    assertHasOrganisation(ctx);
    const caller = authorize(ctx.caller, permission, scope);
    await caughtUp(ctx, type);
    return next({ ctx: { ...ctx, caller } });
  });

/** Only callers with the permission, in the organisation that runs the installation. */
export const operated = <P extends OperatorPermission>(permission: P) =>
  permitted(permission, "organisation").use(async ({ ctx, next }) =>
    next({ ctx: { ...ctx, caller: await authorizeOperator(ctx.services.database, ctx.caller) } }),
  );

/** The answer to a deletion. */
export const deleted = { data: { success: true as const } };

interface RestOptions {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly public?: boolean;
  readonly status?: 201;
  readonly streams?: true;
  readonly redirect?: true;
  readonly rateLimit?: OperationLimit;
  readonly cacheSeconds?: number;
  readonly idempotent?: true;
  readonly example?: Record<string, unknown>;
  readonly audit?: Meta["audit"];
  readonly opaque?: readonly string[];
  readonly errors?: readonly number[];
}

/** The REST route of a procedure: `.meta(rest("GET", "/providers", {...}))`. Paths are under `/api/v1`. */
export const rest = (
  method: NonNullable<Meta["openapi"]>["method"],
  path: `/${string}`,
  {
    summary,
    description,
    tag,
    public: open = false,
    status,
    streams,
    redirect,
    rateLimit,
    cacheSeconds,
    idempotent,
    example,
    audit,
    opaque,
    errors = [],
  }: RestOptions,
): Meta => ({
  openapi: {
    method,
    path,
    summary,
    tags: [tag],
    protect: !open,
    errorResponses: [
      ...new Set([
        ...[400, 429, 500, 503],
        ...(open ? [] : [401, 403]),
        ...(method === "GET" || method === "DELETE" ? [] : [413, 415]),
        ...(idempotent ? [409, 422] : []),
        ...errors,
      ]),
    ].sort((one, other) => one - other),
    ...(description && { description }),
  },
  ...(status && { status }),
  ...(streams && { streams }),
  ...(redirect && { redirect }),
  ...(rateLimit && { rateLimit }),
  ...(cacheSeconds !== undefined && { cacheSeconds }),
  ...(idempotent && { idempotent }),
  ...(example && { example }),
  ...(audit && { audit }),
  ...(opaque && { opaque }),
});
