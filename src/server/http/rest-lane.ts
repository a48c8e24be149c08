import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "#server/api/context.ts";
import { appRouter, createCaller } from "#server/api/root.ts";
import type { Services } from "#server/api/services.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { demandJson, parseJson, readBody } from "./json-body.ts";
import { apiHeaders, respondJson, respondRedirect } from "./respond.ts";
import { compileRoutes, type Match, matchPath } from "./route-table.ts";

const routes = compileRoutes(appRouter);
const allowedRequestHeaders =
  "authorization, content-type, x-api-key, x-org-id, x-title, x-session-id, x-request-id, idempotency-key, traceparent";
const preflightSeconds = "86400";

/** Query parameters by name; one sent twice is refused rather than guessed at (R41). */
function queryOf(query: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(values, name)) {
      throw new AppError("BAD_REQUEST", `The query parameter ${name} is given twice`, { param: name });
    }
    values[name] = value;
  }
  return values;
}

const bodyMax = (path: string): number =>
  path.startsWith("/auth/") ? limits.body.authBytesMax : limits.body.managementBytesMax;

async function inputOf(
  req: IncomingMessage,
  match: Match,
  path: string,
  query: string,
): Promise<Record<string, unknown>> {
  if (match.route.method === "GET" || match.route.method === "DELETE") {
    return { ...queryOf(query), ...match.parameters };
  }
  const body = await readBody(req, bodyMax(path));
  if (body.length > 0) demandJson(req);
  const value = parseJson(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("BAD_REQUEST", "The body must be a JSON object");
  }
  return { ...value, ...match.parameters };
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

/**
 * Answers what the procedures' meta declares under `/api/v1` (design D3). `path` comes without that prefix.
 * Throws `AppError` for anything but success.
 */
export async function serveRest(
  services: Services,
  req: IncomingMessage,
  res: ServerResponse,
  { path, query, requestId }: { path: string; query: string; requestId: string },
): Promise<void> {
  const matches = matchPath(routes, path);
  if (matches.length === 0)
    throw new AppError("NOT_FOUND", "No such path; GET /api/v1/openapi.json lists all");
  const allow = allowedMethods(matches);
  if (req.method === "OPTIONS") {
    res.writeHead(204, {
      ...apiHeaders,
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": allowedRequestHeaders,
      "access-control-max-age": preflightSeconds,
      "x-request-id": requestId,
    });
    res.end();
    return;
  }
  const method = req.method === "HEAD" ? "GET" : req.method;
  const match = matches.find(({ route }) => route.method === method);
  if (!match) {
    throw new AppError("METHOD_NOT_ALLOWED", `This path takes ${allow}`, { headers: { allow } });
  }
  const leaving = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) leaving.abort();
  });
  const context: Context = {
    services,
    caller: services.recognise(req.headers),
    requestId,
    ipAddress: req.socket.remoteAddress ?? null,
    signal: leaving.signal,
  };
  const input = await inputOf(req, match, path, query);
  try {
    const output = await procedureOf(context, match.route.procedure)(input);
    if (match.route.redirect) return respondRedirect(res, (output as Redirect).location, requestId);
    respondJson(res, match.route.status, JSON.stringify(output), requestId);
  } catch (error) {
    throw appErrorOf(error);
  }
}
