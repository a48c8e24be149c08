import { forEachOpenApiProcedure, type OpenApiProcedureRecord } from "trpc-openapi";
import type { AppRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";
import type { OperationLimit } from "#server/auth/rate-limits.ts";
import { AppError } from "#server/platform/errors.ts";

export interface Route {
  readonly method: string;
  /** As declared, such as `/keys/{hash}`. */
  readonly path: string;
  /** Dotted name of the procedure, e.g. `providers.list`. */
  readonly procedure: string;
  readonly status: number;
  /** The output contains the redirect's target. */
  readonly redirect: boolean;
  /** Requires a key or a session. */
  readonly isProtected: boolean;
  /** Whether retries with an `Idempotency-Key` get the first answer. */
  readonly idempotent: boolean;
  /** The additional request limit of the route. */
  readonly rateLimit: OperationLimit | undefined;
  /** How long caches may store a success; null if they may not. */
  readonly cacheSeconds: number | null;
  readonly parameters: readonly string[];
  readonly pattern: RegExp;
}

export interface Match {
  readonly route: Route;
  readonly parameters: Record<string, string>;
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function compile(path: string): Pick<Route, "parameters" | "pattern"> {
  const parameters: string[] = [];
  const source = path
    .split("/")
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (!name) return escapePattern(part);
      parameters.push(name);
      return "([^/]+)";
    })
    .join("/");
  return { parameters, pattern: new RegExp(`^${source}$`) };
}

/** Every REST route, read once from the procedures' meta. Literal paths come before those with parameters. */
export function compileRoutes(router: AppRouter): readonly Route[] {
  const routes: Route[] = [];
  forEachOpenApiProcedure<Meta>(
    router._def.procedures as unknown as OpenApiProcedureRecord,
    ({ path, meta }) => {
      routes.push({
        method: meta.openapi.method,
        path: meta.openapi.path,
        procedure: path,
        status: meta.status ?? 200,
        redirect: meta.redirect ?? false,
        isProtected: meta.openapi.protect !== false,
        rateLimit: meta.rateLimit,
        cacheSeconds: meta.cacheSeconds ?? null,
        idempotent: meta.idempotent ?? false,
        ...compile(meta.openapi.path),
      });
    },
  );
  return routes.sort((a, b) => a.parameters.length - b.parameters.length);
}

/** Null for invalid percent-encoding, and for U+0000, which no name contains and no database can store. */
function decode(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes("\u0000") ? null : decoded;
  } catch {
    return null;
  }
}

/** The decoded segment of a path. Throws BAD_REQUEST naming the parameter if it is invalid. */
export function pathParameter(name: string, text: string): string {
  const value = decode(text);
  if (value !== null) return value;
  throw new AppError("BAD_REQUEST", `${name}: is not valid percent-encoded UTF-8 without U+0000`, {
    param: name,
  });
}

/**
 * All routes that match the path, most literal first; the caller chooses the method. Throws BAD_REQUEST for an
 * invalid parameter.
 */
export function matchPath(routes: readonly Route[], path: string): Match[] {
  const matches: Match[] = [];
  for (const route of routes) {
    const found = route.pattern.exec(path);
    if (!found) continue;
    const first = matches[0];
    if (first && first.route.parameters.length < route.parameters.length) continue;
    matches.push({
      route,
      parameters: Object.fromEntries(
        route.parameters.map((name, at) => [name, pathParameter(name, found[at + 1] ?? "")]),
      ),
    });
  }
  return matches;
}
