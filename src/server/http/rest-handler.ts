import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiKey } from "#contract/key.ts";
import { unservedOperation } from "#contract/unserved-operations.ts";
import { type Caller, requireCaller } from "#server/access/caller.ts";
import type { Context } from "#server/api/context.ts";
import { appRouter, createCaller } from "#server/api/root.ts";
import type { Services } from "#server/api/services.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import { queueAs, waitFor } from "#server/db/index.ts";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { AppError } from "#server/platform/errors.ts";
import { bodyBounds, holdFor } from "./body-bounds.ts";
import { inferenceHandlers } from "./inference-handler.ts";
import { assertJson, readJson } from "./json-body.ts";
import { isOpenRouterSdk, openRouterKeys } from "./openrouter-shapes.ts";
import { respondPreflight } from "./preflight.ts";
import { queryOf } from "./query.ts";
import { setRateState } from "./rate-state.ts";
import type { BodyBounds } from "./read-body.ts";
import { respondCached, respondJson, respondRedirect } from "./respond.ts";
import { beginRetryable, keeping, respondKept } from "./retries.ts";
import { compileRoutes, type Match, matchPath, type Route } from "./route-table.ts";

const routes = compileRoutes(appRouter);

/** Procedures whose bodies hold what a model reads. */
const counts: ReadonlySet<string> = new Set(["/responses/input_tokens", "/messages/count_tokens"]);
const isConversation = (path: string): boolean =>
  counts.has(path) || path === "/conversations" || path.startsWith("/conversations/");

function boundsOf(path: string): BodyBounds {
  if (isConversation(path)) return bodyBounds.conversation;
  return path.startsWith("/auth/") ? bodyBounds.entrance : bodyBounds.management;
}

const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/** Query and body must not contain names of the path: they would be silently ignored. */
export function withParameters(sent: object, parameters: Match["parameters"]): Record<string, unknown> {
  const input: Record<string, unknown> = { ...sent };
  for (const [name, value] of Object.entries(parameters)) {
    if (Object.hasOwn(input, name) && input[name] !== value)
      throw new AppError("BAD_REQUEST", `${name}: belongs to the path; leave it out`, { param: name });
    input[name] = value;
  }
  return input;
}

async function inputOf(
  req: IncomingMessage,
  match: Match,
  path: string,
  query: string,
  hold: ByteHold,
): Promise<Record<string, unknown>> {
  if (match.route.method === "GET" || match.route.method === "DELETE") {
    return withParameters(queryOf(query), match.parameters);
  }
  if (bringsBody(req)) assertJson(req);
  const { value } = await readJson(req, boundsOf(path), hold);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("BAD_REQUEST", "The body must be a JSON object");
  }
  return withParameters(value, match.parameters);
}

/** The output of every procedure marked `redirect`. */
interface Redirect {
  readonly location: string;
}

type Call = (input: unknown) => Promise<unknown>;

/** The procedure of a dotted name on a caller: `providers.list` → `caller.providers.list`. */
function procedureOf(context: Context, name: string): Call {
  let found: unknown = createCaller(context);
  for (const part of name.split(".")) found = (found as Record<string, unknown>)[part];
  return found as Call;
}

function allowedMethods(matches: readonly Match[]): string {
  const methods = new Set(matches.map(({ route }) => route.method));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods, "OPTIONS"].join(", ");
}

/** If no key is required, an invalid key, or one that cannot be checked, is ignored. */
function callerOf(services: Services, req: IncomingMessage, { isProtected }: Route): Caller | null {
  try {
    return services.authenticate(req.headers);
  } catch (error) {
    if (isProtected || !(error instanceof AppError)) throw error;
    return null;
  }
}

/** Names the operation, and what to use instead, if it belongs to an API whose clients work with this one. */
function noSuchPath({ method = "GET" }: IncomingMessage, path: string): AppError {
  const unserved = unservedOperation(method, path);
  if (!unserved) return new AppError("NOT_FOUND", "No such path; GET /api/v1/openapi.json lists all");
  const operation = `${method} ${unserved.path}`;
  return new AppError("NOT_FOUND", `${operation} is not served. ${unserved.reason}`, {
    metadata: { operation },
  });
}

/**
 * Answers the routes that the procedures' meta declares under `/api/v1`. `path` comes without that prefix. Throws
 * `AppError` for anything but success.
 */
export async function serveRest(
  services: Services,
  req: IncomingMessage,
  res: ServerResponse,
  { path, query, requestId }: { path: string; query: string; requestId: string },
): Promise<void> {
  const matches = matchPath(routes, path);
  // One inference path has no procedure: it is another name of an operation.
  if (matches.length === 0 && !inferenceHandlers.has(path)) throw noSuchPath(req, path);
  const allow = matches.length > 0 ? allowedMethods(matches) : "POST, OPTIONS";
  if (req.method === "OPTIONS") return respondPreflight(req, res, allow, requestId);
  const method = req.method === "HEAD" ? "GET" : req.method;
  const match = matches.find(({ route }) => route.method === method);
  if (!match) {
    throw new AppError("METHOD_NOT_ALLOWED", `This path takes ${allow}`, { headers: { allow } });
  }
  const leaving = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) leaving.abort();
  });
  const caller = callerOf(services, req, match.route);
  const ipAddress = services.peerAddress(req.socket.remoteAddress, req.headers["x-forwarded-for"]);
  if (caller) queueAs(caller.orgId);
  // Requests without a required key are refused anyway.
  if (caller || !match.route.isProtected)
    setRateState(res, await waitFor(services.rates.admit({ caller, ipAddress }, match.route.rateLimit)));
  const { route } = match;
  if (route.isProtected) requireCaller(caller);
  const context: Context = { services, caller, requestId, ipAddress, signal: leaving.signal };
  const hold = holdFor(services, caller, ipAddress);
  try {
    await serveRoute(context, req, res, { match, path, query, hold });
  } finally {
    hold.release();
  }
}

const keyPaths: ReadonlySet<string> = new Set(["/keys", "/keys/{hash}"]);

/** The output of a procedure in the form that the client library reads. */
function present(req: IncomingMessage, { path, method }: Route, output: unknown): unknown {
  if (!keyPaths.has(path) || method === "DELETE" || !isOpenRouterSdk(req)) return output;
  // The procedures of these paths return keys.
  return openRouterKeys(output as { readonly data: ApiKey | readonly ApiKey[] });
}

interface Matched {
  readonly match: Match;
  readonly path: string;
  readonly query: string;
  readonly hold: ByteHold;
}

/** Reads a request's input, calls its procedure and answers. */
async function serveRoute(
  context: Context,
  req: IncomingMessage,
  res: ServerResponse,
  { match, path, query, hold }: Matched,
): Promise<void> {
  const { services, caller, requestId } = context;
  const { route } = match;
  const input = await inputOf(req, match, path, query, hold);
  const call = async () => {
    try {
      return present(req, route, await procedureOf(context, route.procedure)(input));
    } catch (error) {
      throw appErrorOf(error);
    }
  };
  if (route.redirect) {
    const { location } = (await call()) as Redirect;
    return respondRedirect(res, location, services.config.PUBLIC_URL, requestId);
  }
  const retry = route.idempotent
    ? await beginRetryable(services, req, caller, route.path, JSON.stringify(input))
    : null;
  if (retry?.replay) return respondKept(res, retry.replay, requestId);
  const json = await (retry
    ? keeping(retry, route.status, call)
    : call().then((output) => JSON.stringify(output)));
  if (route.cacheSeconds !== null)
    return respondCached(req, res, json, {
      requestId,
      seconds: route.cacheSeconds,
      // An organisation's own catalogue is for nobody else, and changes take effect at once.
      isPrivate: caller !== null && services.catalogues.isOwn(caller.orgId),
    });
  respondJson(res, route.status, json, requestId);
}
