import type { IncomingMessage, ServerResponse } from "node:http";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { Caller } from "#server/access/caller.ts";
import { appRouter } from "#server/api/root.ts";
import type { Services } from "#server/api/services.ts";
import { answerable, appErrorOf, withCode } from "#server/api/trpc.ts";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { bodyBounds, holdFor } from "./body-bounds.ts";
import { type ConsoleSession, requestIdOf } from "./console-session.ts";
import { parseBytes, readJson } from "./json-body.ts";

const trpcEndpoint = "/api/trpc";
const batchMax = 10;

/** Replaces an input that our parser refuses by one that JSON.parse refuses too. */
const unsound = "!";

function isSound(input: string): boolean {
  try {
    parseBytes(Buffer.from(input), bodyBounds.management);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function urlOf(req: IncomingMessage): URL {
  const url = new URL(`http://localhost${req.url}`);
  const input = url.searchParams.get("input");
  if (input !== null && !isSound(input)) url.searchParams.set("input", unsound);
  return url;
}

/**
 * A request in the form that tRPC needs. `read` returns its body, and is called only when a procedure that admits the
 * caller needs its input: refusals do not depend on the body.
 */
function trpcRequest(req: IncomingMessage, res: ServerResponse, read: () => Promise<Buffer>): Request {
  const { method = "GET" } = req;
  if (method === "GET" || method === "HEAD") return new Request(urlOf(req), { method });
  if (method !== "POST")
    throw new AppError("METHOD_NOT_ALLOWED", "Procedures take GET and POST", {
      headers: { allow: "GET, HEAD, POST" },
    });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(await read());
          controller.close();
        } catch (thrown) {
          const error = toAppError(thrown);
          for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
          controller.error(withCode(error));
        }
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "application/json" };
  const init: RequestInit & { duplex: "half" } = { method, headers, body, duplex: "half" };
  return new Request(urlOf(req), init);
}

/** Sends tRPC's answer, with the headers already set on `res`. */
async function respondFetched(res: ServerResponse, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (res.headersSent || res.destroyed) return;
  res.writeHead(response.status, [...response.headers].flat());
  res.end(body);
}

/** Answers calls of procedures under `/api/trpc`, single or in batches. */
export async function serveTrpc(
  services: Services,
  { addressOf, contextOf }: ConsoleSession,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const known: { caller: Caller | null; hold: ByteHold | null } = { caller: null, hold: null };
  const read = async () => {
    known.hold = holdFor(services, known.caller, addressOf(req));
    return (await readJson(req, bodyBounds.management, known.hold)).bytes;
  };
  try {
    const response = await fetchRequestHandler({
      endpoint: trpcEndpoint,
      req: trpcRequest(req, res, read),
      router: appRouter,
      maxBatchSize: batchMax,
      createContext: async () => {
        // Its errors are answered like those of procedures.
        const context = await contextOf(req, res).catch((error: unknown) => {
          throw answerable(error);
        });
        known.caller = context.caller;
        return context;
      },
      // `Retry-After` of one call applies to the whole batch.
      responseMeta: ({ errors }) => ({
        headers: Object.assign({}, ...errors.map((error) => appErrorOf(error).headers)),
      }),
      onError: ({ error, path }) => {
        if (appErrorOf(error).status < 500) return;
        services.log.error(
          { request_id: requestIdOf(res), path, error: error.cause ?? error },
          "A procedure failed",
        );
      },
    });
    await respondFetched(res, response);
  } finally {
    known.hold?.release();
  }
}
