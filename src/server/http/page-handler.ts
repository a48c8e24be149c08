import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import type { BuiltSite } from "./built-site.ts";
import type { ConsoleHandler } from "./console-handlers.ts";
import { requestIdOf } from "./console-session.ts";
import { accepts, isCompressible } from "./content-coding.ts";
import type { PageCache } from "./page-cache.ts";
import { fileHeaders, navigationHeaders } from "./page-headers.ts";
import type { Render, Rendered } from "./page-renderer.ts";
import { filled, newMarks, type PageMarks, type PageTemplate } from "./page-template.ts";
import { respondMoved } from "./respond.ts";

export interface PageDeps {
  readonly site: BuiltSite;
  readonly pages: PageCache;
  /** Reads a file of the build. */
  readonly readFile: Render;
  /** Counts a request. Throws RATE_LIMIT_EXCEEDED. */
  readonly admit: (req: IncomingMessage, kind: "page" | "file") => Promise<void>;
  readonly headersOf: (target: string, nonce: string) => Readonly<Record<string, string>>;
  readonly log: Log;
}

const compress = promisify(gzip);
const allow = "GET, HEAD, OPTIONS";
const notFoundPage = "/_not-found";

/** Sends a page or file, compressed if it is not and that is worth it. Headers that are set already remain. */
async function send(req: IncomingMessage, res: ServerResponse, rendered: Rendered): Promise<void> {
  const { status, headers, body } = rendered;
  const isPacked = headers["content-encoding"] !== undefined;
  const packs =
    status !== 206 &&
    !isPacked &&
    body.length >= limits.pages.compressedFromBytes &&
    isCompressible(String(headers["content-type"]));
  const packed = packs && accepts(req.headers["accept-encoding"], { name: "gzip" });
  const sent = packed ? await compress(body) : body;
  for (const [name, value] of Object.entries(headers)) if (!res.hasHeader(name)) res.setHeader(name, value);
  if (packs || isPacked) res.appendHeader("vary", "accept-encoding");
  if (packed) res.setHeader("content-encoding", "gzip");
  // An answer without content keeps the length that Next gave it, if any.
  if (sent.length > 0) res.setHeader("content-length", sent.length);
  res.writeHead(status);
  res.end(req.method === "HEAD" ? undefined : sent);
}

const sendPage = (
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, ...page }: PageTemplate,
  marks: PageMarks,
) => send(req, res, { status, headers, body: Buffer.from(filled(page, marks)) });

/** The text shown instead of a page. */
function sendFailure(res: ServerResponse, error: AppError): void {
  if (res.headersSent) return void res.destroy();
  const text = `${error.message}\n\nRequest id: ${requestIdOf(res)}\n`;
  res.writeHead(error.status, {
    ...error.headers,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(text),
  });
  res.end(text);
}

/**
 * The console's pages and files in production. A page contains no user data, which comes from `/api/trpc`: it is
 * rendered once, and each answer has its own nonce and request id. Unknown paths get the same not-found page.
 */
export function createPageHandler({
  site,
  pages,
  readFile,
  admit,
  headersOf,
  log,
}: PageDeps): ConsoleHandler {
  async function serve(req: IncomingMessage, res: ServerResponse, marks: PageMarks): Promise<void> {
    const { method, url: target = "/" } = req;
    if (method === "OPTIONS") return void res.writeHead(204, { allow }).end();
    if (method !== "GET" && method !== "HEAD")
      throw new AppError("METHOD_NOT_ALLOWED", `A page takes ${allow}`, { headers: { allow } });
    const path = target.split("?")[0] ?? "/";
    if (site.files.has(path)) {
      await admit(req, "file");
      return send(req, res, await readFile(target, fileHeaders(req.headers)));
    }
    const navigation = navigationHeaders(req.headers);
    const isPart = navigation.rsc !== undefined;
    // Browsers prefetch parts of pages for every visible link, so only rendered ones count as pages.
    await admit(req, isPart ? "file" : "page");
    const beforeRender = async () => void (isPart && (await admit(req, "page")));
    if (site.pages.has(path))
      return sendPage(req, res, await pages.get({ target, navigation }, beforeRender), marks);
    const withoutSlash = path.slice(0, -1);
    if (path.endsWith("/") && site.pages.has(withoutSlash))
      return respondMoved(res, withoutSlash + target.slice(path.length));
    const missing = await pages.get({ target: notFoundPage, navigation: {} }, beforeRender);
    return sendPage(req, res, missing, marks);
  }

  return async (req, res) => {
    const marks = { ...newMarks(), requestId: requestIdOf(res) };
    for (const [name, value] of Object.entries(headersOf(req.url ?? "/", marks.nonce)))
      res.setHeader(name, value);
    try {
      await serve(req, res, marks);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) log.error({ event: "page", error: thrown }, "A page could not be shown");
      sendFailure(res, error);
    }
  };
}
