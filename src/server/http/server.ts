import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { authorize } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import { asInteractive } from "#server/db/index.ts";
import { toAppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { answerClientError } from "./client-error.ts";
import { connectionsMax, descriptorsMax } from "./connections.ts";
import type { Upgrade } from "./console.ts";
import type { ConsoleHandler } from "./console-handlers.ts";
import { serveHealth } from "./health-handler.ts";
import { inferenceHandlers } from "./inference-handler.ts";
import { openApiDocument } from "./openapi.ts";
import { playgroundPrefix } from "./playground-handler.ts";
import { respondPreflight } from "./preflight.ts";
import { RequestAttachment } from "./request-attachment.ts";
import { targetOf } from "./request-line.ts";
import { apiHeaders, respondError } from "./respond.ts";
import { serveResponseStream, streamedResponse } from "./response-stream-handler.ts";
import { serveRest } from "./rest-handler.ts";

/** The handlers that need Next or a session; absent until the console is ready. */
export interface ConsoleHandlers {
  readonly trpc: ConsoleHandler;
  readonly auth: ConsoleHandler;
  readonly playground: ConsoleHandler;
  readonly page: ConsoleHandler;
  /** Takes over the connections of hot reloading; null in production. */
  readonly upgrade: Upgrade | null;
}

const apiPrefixes = ["/api/v1/", "/v1/"];
/** Nothing is served there, which the API says, not the console. */
const apiRoots: ReadonlySet<string> = new Set(["/api/v1", "/v1"]);
/** What the server as a whole is asked with (`OPTIONS *`). */
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/** Where Next's pages ask for hot reloading, in development only. */
const hotReloadPath = "/_next/hmr";
const acceptableId = /^[A-Za-z0-9_-]{8,128}$/;

function requestIdOf(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  // A key that somebody sent as an id would stand in every record.
  const isAcceptable = typeof given === "string" && acceptableId.test(given) && maskSecrets(given) === given;
  return isAcceptable ? given : uuidv7();
}

/** One HTTP server with its handlers in front of Next. Nothing is listened on yet. */
export function createHttpServer(services: Services, console: ConsoleHandlers): Server {
  const { log, metrics, version } = services;
  let document: string | undefined;

  /** Until it is known who asks, those of one address wait together. */
  const addressOf = (req: IncomingMessage): string =>
    services.peerAddress(req.socket.remoteAddress, req.headers["x-forwarded-for"]) ?? "";

  async function serveApi(
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    query: string,
  ): Promise<void> {
    const requestId = requestIdOf(req);
    try {
      const inference = req.method === "POST" ? inferenceHandlers.get(path) : undefined;
      const followed = streamedResponse(req, path, query);
      if (inference) {
        const caller = authorize(services.authenticate(req.headers), "inference:use", "workspace");
        await inference(services, caller, req, res, requestId);
      } else if (followed !== null) {
        const caller = authorize(services.authenticate(req.headers), "inference:use", "workspace");
        await serveResponseStream(services, caller, res, { id: followed, query, requestId });
      } else if (path === "/openapi.json" && (req.method === "GET" || req.method === "HEAD")) {
        document ??= openApiDocument(version);
        res.writeHead(200, { ...apiHeaders, "content-type": "application/json", "x-request-id": requestId });
        res.end(document);
      } else {
        await asInteractive(addressOf(req), () => serveRest(services, req, res, { path, query, requestId }));
      }
    } catch (thrown) {
      const error = toAppError(thrown);
      // A refusal we decided on is no fault of ours; one with a cause, or an unknown error, is worth a look.
      if (error.code === "INTERNAL_ERROR" || (error.status >= 500 && error.cause !== undefined)) {
        log.error(
          { event: "request", request_id: requestId, path, code: error.code, error },
          "A request failed",
        );
      }
      respondError(res, error, requestId);
    } finally {
      metrics.requests.inc({ lane: "api", status: res.statusCode });
    }
  }

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
    res.setHeader("x-request-id", requestIdOf(req));
    if (path.startsWith("/health") && (await serveHealth(services, path, res))) return;
    if (path === "/metrics") return serveMetrics(res);
    if (path.startsWith("/api/trpc/")) return console.trpc(req, res);
    if (path.startsWith(playgroundPrefix)) return console.playground(req, res);
    if (path.startsWith("/api/auth/")) return console.auth(req, res);
    return console.page(req, res);
  }

  const { PUBLIC_URL } = services.config;
  const publicHost = PUBLIC_URL === undefined ? undefined : new URL(PUBLIC_URL).host;

  async function begin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const target = targetOf(req, publicHost);
      if (target === "*") return respondPreflight(req, res, methods, requestIdOf(req));
      req.url = target;
      await serve(req, res, target);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) log.error({ event: "request", error: thrown }, "A request failed");
      respondError(res, error, String(res.getHeader("x-request-id") ?? requestIdOf(req)));
    }
  }

  /** The latest answer of each connection, begun or not. */
  const latest = new RequestAttachment<Duplex, ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: limits.http.headerBytesMax,
      headersTimeout: limits.http.headersTimeoutMs,
      requestTimeout: limits.http.requestTimeoutMs,
      keepAliveTimeout: limits.http.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.http.timeoutCheckMs,
      // Whatever else asks for another protocol is a request like any other, and is refused as one.
      shouldUpgradeCallback: ({ url = "" }) => console.upgrade !== null && url.startsWith(hotReloadPath),
    },
    (req, res) => {
      const earlier = latest.of(req.socket);
      latest.set(req.socket, res);
      if (!earlier || earlier.writableFinished) void begin(req, res);
      // Of requests sent without waiting one is begun at a time, and others have their turn in between.
      else earlier.once("close", () => setImmediate(() => !req.socket.destroyed && void begin(req, res)));
    },
  );
  server.maxRequestsPerSocket = limits.http.maxRequestsPerSocket;
  server.maxConnections = connectionsMax(descriptorsMax());
  server.on("drop", () => metrics.connectionsDropped.inc());
  if (console.upgrade) server.on("upgrade", console.upgrade);
  server.on("clientError", (error, socket) => {
    log.debug({ event: "client_error", error }, "A connection sent no valid HTTP");
    answerClientError(error, socket, latest.of(socket));
  });
  return server;
}
