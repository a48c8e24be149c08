import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { verifyPath } from "#contract/verify-path.ts";
import type { Services } from "#server/api/services.ts";
import { toAppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { createApiHandler } from "./api-handler.ts";
import { answerClientError } from "./client-error.ts";
import { boundConnections } from "./connections.ts";
import type { Upgrade } from "./console.ts";
import type { ConsoleHandler } from "./console-handlers.ts";
import { serveHealth } from "./health-handler.ts";
import { packageFilesPrefix } from "./package-file-handler.ts";
import { playgroundPrefix } from "./playground-handler.ts";
import { respondPreflight } from "./preflight.ts";
import { RequestAttachment } from "./request-attachment.ts";
import { receivedRequestId } from "./request-id.ts";
import { targetOf } from "./request-line.ts";
import { respondError } from "./respond.ts";
import { serveVerifyPage } from "./verify-page.ts";

/** The handlers that need Next or a session; absent until the console is ready. */
export interface ConsoleHandlers {
  readonly trpc: ConsoleHandler;
  readonly auth: ConsoleHandler;
  readonly playground: ConsoleHandler;
  readonly packageFile: ConsoleHandler;
  readonly page: ConsoleHandler;
  /** Takes over the connections of hot reloading; null in production. */
  readonly upgrade: Upgrade | null;
}

const apiPrefixes = ["/api/v1/", "/v1/"];
/** Nothing is served at the root of the API, which the API answers, not the console. */
const apiRoots: ReadonlySet<string> = new Set(["/api/v1", "/v1"]);
/** The answer to `OPTIONS *`. */
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/** Next's pages request hot reloading here, in development only. */
const hotReloadPath = "/_next/hmr";
/** The HTTP server with its limits; `begin` answers its requests. It begins one request of a connection at a time. */
function serverOf(
  { log, metrics }: Services,
  upgrade: Upgrade | null,
  begin: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): Server {
  /** The latest answer of each connection, begun or not. */
  const latest = new RequestAttachment<Duplex, ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: limits.http.headerBytesMax,
      headersTimeout: limits.http.headersTimeoutMs,
      requestTimeout: limits.http.requestTimeoutMs,
      keepAliveTimeout: limits.http.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.http.timeoutCheckMs,
      // Any other upgrade is handled like a request, and refused.
      shouldUpgradeCallback: ({ url = "" }) => upgrade !== null && url.startsWith(hotReloadPath),
    },
    (req, res) => {
      const earlier = latest.of(req.socket);
      latest.set(req.socket, res);
      if (!earlier || earlier.writableFinished) void begin(req, res);
      // Pipelined requests are begun one at a time, with other connections in between.
      else earlier.once("close", () => setImmediate(() => !req.socket.destroyed && void begin(req, res)));
    },
  );
  server.maxRequestsPerSocket = limits.http.maxRequestsPerSocket;
  boundConnections(server, () => metrics.connectionsDropped.inc());
  if (upgrade) server.on("upgrade", upgrade);
  server.on("clientError", (error, socket) => {
    log.debug({ event: "client_error", error }, "A connection sent invalid HTTP");
    answerClientError(error, socket, latest.of(socket));
  });
  return server;
}

/** Creates the HTTP server with its handlers and Next behind them. It does not listen yet. */
export function createHttpServer(services: Services, console: ConsoleHandlers): Server {
  const { log, metrics } = services;
  const serveApi = createApiHandler(services);

  async function serveMetrics(res: ServerResponse): Promise<void> {
    metrics.snapshotAge.set(services.snapshotAgeMs() / 1000);
    const text = await metrics.text();
    res.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" });
    res.end(text);
  }

  function serve(req: IncomingMessage, res: ServerResponse, url: string): Promise<void> {
    const queryAt = url.indexOf("?");
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    if (services.draining()) res.setHeader("connection", "close");
    const prefix = apiPrefixes.find((candidate) => path.startsWith(candidate));
    if (prefix)
      return serveApi(req, res, path.slice(prefix.length - 1), queryAt === -1 ? "" : url.slice(queryAt + 1));
    return apiRoots.has(path) ? serveApi(req, res, "/", "") : serveOther(req, res, path);
  }

  async function serveOther(req: IncomingMessage, res: ServerResponse, path: string): Promise<void> {
    res.setHeader("x-request-id", receivedRequestId(req));
    if (path.startsWith("/health") && (await serveHealth(services, path, res))) return;
    if (path === "/metrics") return serveMetrics(res);
    if (path === verifyPath) return serveVerifyPage(res);
    if (path.startsWith("/api/trpc/")) return console.trpc(req, res);
    if (path.startsWith(playgroundPrefix)) return console.playground(req, res);
    if (path.startsWith(packageFilesPrefix)) return console.packageFile(req, res);
    if (path.startsWith("/api/auth/")) return console.auth(req, res);
    return console.page(req, res);
  }

  const { PUBLIC_URL } = services.config;
  const publicHost = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).host;

  async function begin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const target = targetOf(req, publicHost);
      if (target === "*") return respondPreflight(req, res, methods, receivedRequestId(req));
      req.url = target;
      await serve(req, res, target);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) log.error({ event: "request", error: thrown }, "A request failed");
      respondError(res, error, String(res.getHeader("x-request-id") ?? receivedRequestId(req)));
    }
  }

  return serverOf(services, console.upgrade, begin);
}
