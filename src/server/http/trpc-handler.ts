import type { IncomingMessage, ServerResponse } from "node:http";
import { withCode } from "#server/api/trpc.ts";
import { AppError, toAppError } from "#server/platform/errors.ts";
import { bodyBounds } from "./body-bounds.ts";
import { parseBytes } from "./json-body.ts";

/** What JSON.parse refuses, in the place of an input of which it would take what we do not. */
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
 * A request as tRPC wants it. `read` brings its body, and is asked for it only when a procedure that lets the caller
 * in wants its input: who is refused is refused whatever they sent.
 */
export function trpcRequest(req: IncomingMessage, res: ServerResponse, read: () => Promise<Buffer>): Request {
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

/** Sends tRPC's answer; headers that stand on `res` already go with it. */
export async function respondFetched(res: ServerResponse, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  if (res.headersSent || res.destroyed) return;
  res.writeHead(response.status, [...response.headers].flat());
  res.end(body);
}
