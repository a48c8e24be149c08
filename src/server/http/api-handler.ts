import type { IncomingMessage, ServerResponse } from "node:http";
import { authorize } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import { asInteractive } from "#server/db/index.ts";
import { toAppError } from "#server/platform/errors.ts";
import { servedPath, shapeHeaderOf } from "./anthropic-clients.ts";
import { anthropicError, isAnthropicPath } from "./error-shapes.ts";
import { inferenceHandlers } from "./inference-handler.ts";
import { logResourceOf, serveLogResource } from "./log-resource-handler.ts";
import { openApiDocument } from "./openapi.ts";
import { isOpenRouterSdk, openRouterError } from "./openrouter-shapes.ts";
import { packageFileOf, servePackageFile } from "./package-file-handler.ts";
import { receivedRequestId } from "./request-id.ts";
import { apiHeaders, respondError } from "./respond.ts";
import { serveResponseStream, streamedResponse } from "./response-stream-handler.ts";
import { serveRest } from "./rest-handler.ts";

/** `path` is the part after `/api/v1`, `query` the part after the question mark. Never rejects. */
export type ApiHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  query: string,
) => Promise<void>;

function shapeOf(req: IncomingMessage, forAnthropic: boolean) {
  if (forAnthropic) return { shape: anthropicError };
  return isOpenRouterSdk(req) ? { shape: openRouterError } : {};
}

/** Answers everything under `/api/v1`: inference, followed responses, the OpenAPI document, and REST. */
export function createApiHandler(services: Services): ApiHandler {
  const { log, metrics, version } = services;
  let document: string | undefined;

  /** Before the caller is known, requests of one address share a queue for the database. */
  const addressOf = (req: IncomingMessage): string =>
    services.peerAddress(req.socket.remoteAddress, req.headers["x-forwarded-for"]) ?? "";

  return async (req, res, sentPath, query) => {
    const requestId = receivedRequestId(req);
    const path = servedPath(req, sentPath);
    const shapeHeader = shapeHeaderOf(sentPath);
    if (shapeHeader !== undefined) res.setHeader("vary", shapeHeader);
    const forAnthropic = isAnthropicPath(path);
    // Anthropic's clients look for the id under this name.
    if (forAnthropic) res.setHeader("request-id", requestId);
    try {
      const inference = req.method === "POST" ? inferenceHandlers.get(path) : undefined;
      const followed = streamedResponse(req, path, query);
      const resource = logResourceOf(req, path);
      const packageFile = packageFileOf(req, path);
      if (inference) {
        const caller = authorize(services.authenticate(req.headers), "inference:use", "workspace");
        await inference(services, caller, req, res, requestId);
      } else if (followed !== null) {
        const caller = authorize(services.authenticate(req.headers), "inference:use", "workspace");
        await serveResponseStream(services, caller, res, { id: followed, query, requestId });
      } else if (resource !== null) {
        const caller = authorize(services.authenticate(req.headers), "audit:read", "organisation");
        await serveLogResource(services, caller, res, { name: resource, requestId });
      } else if (packageFile !== null) {
        const caller = authorize(services.authenticate(req.headers), "audit:read", "organisation");
        await servePackageFile(services, caller, req, res, { id: packageFile, requestId });
      } else if (path === "/openapi.json" && (req.method === "GET" || req.method === "HEAD")) {
        document ??= openApiDocument(version);
        res.writeHead(200, { ...apiHeaders, "content-type": "application/json", "x-request-id": requestId });
        res.end(document);
      } else {
        await asInteractive(addressOf(req), () => serveRest(services, req, res, { path, query, requestId }));
      }
    } catch (thrown) {
      const error = toAppError(thrown);
      // Only errors with a cause, or unknown ones, are our fault and logged.
      if (error.code === "INTERNAL_ERROR" || (error.status >= 500 && error.cause !== undefined)) {
        log.error(
          { event: "request", request_id: requestId, path, code: error.code, error },
          "A request failed",
        );
      }
      respondError(res, error, requestId, shapeOf(req, forAnthropic));
    } finally {
      metrics.requests.inc({ lane: "api", status: res.statusCode });
    }
  };
}
