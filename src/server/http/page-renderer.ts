import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createRequestResponseMocks } from "next/dist/server/lib/mock-request.js";
import pLimit from "p-limit";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";

const { rendersTogether, rendersWaitingMax, renderTimeoutMs, renderedBytesMax } = limits.pages;

export interface Rendered {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Renders `target`, a path with its query. Rejects with SERVICE_UNAVAILABLE if rendering or waiting takes too long.
 */
export type Render = (target: string, headers: Readonly<Record<string, string>>) => Promise<Rendered>;

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const busy = (cause?: Error): AppError =>
  new AppError("SERVICE_UNAVAILABLE", "Too many pages are requested at the moment. Try again in 5 seconds", {
    headers: { "retry-after": "5" },
    cause,
  });

async function renderNow(
  handle: Handle,
  target: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Rendered> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const { req, res } = createRequestResponseMocks({
    url: target,
    headers: { host: "localhost", ...headers },
    socket: new Socket(),
    resWriter(chunk) {
      bytes += chunk.length;
      if (bytes > renderedBytesMax)
        reject(new RangeError(`${target} has more than ${renderedBytesMax} bytes`));
      else chunks.push(Buffer.from(chunk as Uint8Array));
      return true;
    },
  });
  res.once("finish", resolve).once("error", reject);
  signal.addEventListener("abort", () => res.destroy());
  // Newer versions of Node have methods that the mocks lack.
  const complete = [Object.assign(req, { signal }), Object.assign(res, { writeInformation() {} })] as const;
  await Promise.all([handle(...complete), ended]);
  return { status: res.statusCode, headers: res.getHeaders(), body: Buffer.concat(chunks) };
}

/**
 * Renders with Next's handler. Next gets a request made here, and its answer is buffered until it is complete: no
 * other data of a client reaches Next, and slow readers use no place. Few pages are rendered at the same time,
 * because rendering blocks other requests.
 */
export function createRenderer(handle: Handle): Render {
  const inTurn = pLimit(rendersTogether);
  return async (target, headers) => {
    if (inTurn.pendingCount >= rendersWaitingMax) throw busy();
    return inTurn(async () => {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const over = new AbortController();
      const patience = setTimeout(() => {
        over.abort();
        reject(busy(new Error(`${target} was not rendered within ${renderTimeoutMs} ms`)));
      }, renderTimeoutMs);
      try {
        return await Promise.race([renderNow(handle, target, headers, over.signal), late]);
      } finally {
        clearTimeout(patience);
      }
    });
  };
}
