import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createRequestResponseMocks } from "next/dist/server/lib/mock-request.js";
import { limits } from "#server/platform/limits.ts";
import type { Rendered } from "./page-renderer.ts";

const { renderedBytesMax } = limits.pages;

export type PageHandle = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Headers in the form in which a message between threads can contain them. */
const sendable = (headers: ReturnType<ServerResponse["getHeaders"]>): Rendered["headers"] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.map(String) : String(value)]],
    ),
  );

/**
 * Renders with Next's handler. Next gets a request made here, and its answer is buffered until it is complete: no
 * other data of a client reaches Next. Rejects if the answer has more than `renderedBytesMax`.
 */
export async function renderWith(
  handle: PageHandle,
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<Rendered> {
  const chunks: Uint8Array[] = [];
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
  // Newer versions of Node have methods that the mocks lack.
  const complete = [
    Object.assign(req, { signal: new AbortController().signal }),
    Object.assign(res, { writeInformation() {} }),
  ] as const;
  await Promise.all([handle(...complete), ended]);
  return {
    status: res.statusCode,
    headers: sendable(res.getHeaders()),
    body: new Uint8Array(Buffer.concat(chunks)),
  };
}
