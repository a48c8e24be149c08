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

/** What stands beside every procedure; the REST handler, the document and the architecture tests read it. */
export type Meta = OpenApiMeta<{
  /** What the caller must be allowed to do; absent on what is public or open to every caller. */
  permission?: Permission;
  /** Where its rows stand: what it means for a key of a workspace. On all that knows its caller. */
  scope?: RowScope;
  /** It concerns nobody but the signed-in person, who needs no permission for that. */
  personal?: true;
  /**
   * What a mutation does. Its audit action, and whether it changes the configuration (what snapshots hold, such as keys
   * and rules): then this process sees it before the answer is sent. Or why it writes no audit row.
   */
  audit?: { action: string; configuration: boolean } | { none: string };
  /** Over REST a retry with the same `Idempotency-Key` gets the first answer and changes nothing. */
  idempotent?: true;
  /** A limit of requests besides those of everybody who asks. */
  rateLimit?: OperationLimit;
  /** Input fields that are taken as they are: secrets that are kept sealed, one-time codes, what a model is asked. */
  opaque?: readonly string[];
  /** The status of success when it is not 200. */
  status?: 201;
  /** With `stream: true` the answer is a stream of server-sent events. */
  streams?: true;
  /** Success is a redirect (302) to the output's `location`, a path of the console. */
  redirect?: true;
  /** Success may be kept by caches for so long, and is told apart by an ETag; only for what is public. */
  cacheSeconds?: number;
  /** Example of a request body or query, shown in the reference. */
  example?: Record<string, unknown>;
  /** Example of the answer to it. */
  exampleAnswer?: unknown;
  /** Name of the operation in the reference, where it is not that of the procedure. */
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

/** The error behind a tRPC error: ours, a validation's, or INTERNAL_ERROR. */
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
    // The console shows the same envelope as REST, request id included; stacks never leave the process.
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

/** An error of ours with the tRPC code that carries its status. */
export const withCode = (cause: AppError): TRPCError =>
  new TRPCError({ code: trpcCodes[cause.code] ?? "INTERNAL_SERVER_ERROR", message: cause.message, cause });

/** Anything thrown as tRPC answers it: with the status of an error of ours. What is wrong with the input stays. */
export const answerable = (thrown: unknown): unknown => {
  const error = toAppError(thrown instanceof TRPCError ? (thrown.cause ?? thrown) : thrown);
  return error.code === "INTERNAL_ERROR" ? thrown : withCode(error);
};

/** An API key that stands where none belongs is masked before anything is stored, logged or answered of it. */
function withoutSecrets(input: unknown, opaque: readonly string[] = []): unknown {
  if (typeof input !== "object" || input === null) return maskSecretsIn(input);
  const taken = Object.entries(input).filter(([name]) => opaque.includes(name));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !opaque.includes(name)));
  return taken.length === 0 ? maskSecretsIn(input) : { ...maskSecretsIn(rest), ...Object.fromEntries(taken) };
}

/** Who waits with whom for the database: those of one organisation, else of one person or address. */
const holderOf = ({ caller, person, ipAddress }: Context): string =>
  caller?.orgId ?? person?.userId ?? ipAddress ?? "";

/**
 * Gives errors of ours the tRPC code that carries their status, audit rows the request they come from, and waits for
 * the database no longer than a request may.
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

/** Anybody may call it. */
export const anyone = translated.use(async ({ ctx, meta, next }) => {
  // Each call of a batch counts; the REST handler has counted before it read the body.
  await ctx.countCall?.(meta?.rateLimit);
  const result = await next();
  if (result.ok && changesConfiguration(meta)) await ctx.services.refreshSnapshot();
  return result;
});

/** Queries of callers see what this process has spent until now, whichever of them shows it. */
const caughtUp = async ({ services }: Context, type: string): Promise<void> => {
  if (type === "query") await waitFor(inBackground(() => services.billing.caughtUp()));
};

/** Every caller, whatever they may do: what tells them about themselves. */
export const authenticated = <Scope extends RowScope>(scope: Scope) =>
  anyone.meta({ scope }).use(async ({ ctx, type, next }) => {
    assertHasOrganisation(ctx);
    const caller = scopedCaller(requireCaller(ctx.caller), scope);
    await caughtUp(ctx, type);
    return next({ ctx: { ...ctx, caller } });
  });

/** A person signed in to the console, about their own account; `ctx.person` is known inside. */
export const personal = anyone.meta({ personal: true }).use(({ ctx, next }) => {
  const { person } = ctx;
  if (!person) throw unauthorized("Sign in to the console");
  return next({ ctx: { ...ctx, person } });
});

/**
 * Only callers with the permission; `ctx.caller` is authorised for it inside. `scope` says where the rows stand: nothing can be
 * declared without deciding what a key of a workspace may do with it.
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

/** What a deletion answers. */
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

/** The REST face of a procedure: `.meta(rest("GET", "/providers", {...}))`. Paths are under `/api/v1`. */
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
