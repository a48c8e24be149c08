import type { IncomingMessage } from "node:http";

const versionHeader = "anthropic-version";
const models = /^\/models(?:\/(?!count$|user$|.*\/endpoints$)(?<id>.+))?$/;

/** The header that decides the shape of an answer, for caches; undefined for paths with one shape. */
export const shapeHeaderOf = (path: string): string | undefined =>
  path === "/models" || path.startsWith("/models/") ? versionHeader : undefined;

/**
 * The path below `/api/v1` that serves a request: Anthropic's clients, which send a header with the version of its API,
 * get models in its shape.
 */
export function servedPath({ headers, method }: IncomingMessage, path: string): string {
  if (headers[versionHeader] === undefined || method === "OPTIONS") return path;
  const found = models.exec(path);
  if (!found) return path;
  const id = found.groups?.id;
  // Some clients do not encode the slash of an id.
  return id === undefined ? "/anthropic/models" : `/anthropic/models/${id.replaceAll("/", "%2F")}`;
}
