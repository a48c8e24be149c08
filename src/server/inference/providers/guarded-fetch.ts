import type { JsonBounds } from "#server/platform/json-guard.ts";
import { limits } from "#server/platform/limits.ts";
import { OutboundError, type OutboundResponse } from "#server/platform/outbound.ts";
import { refused } from "./http-upstream.ts";
import { correlationHeader, type Exchange } from "./kind.ts";
import { type Counter, counterFor } from "./package-guard.ts";

type Fetch = typeof globalThis.fetch;

/** A `fetch` for packages that need one, and a way to close its open connections. */
interface GuardedFetch {
  readonly fetch: Fetch;
  close(): void;
}

/** The body as a web stream, read only as fast as it is consumed and counted meanwhile. */
function bodyOf(response: OutboundResponse, { count, bytesMax }: Counter): ReadableStream<Uint8Array> {
  const batches = response.batches();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await batches.next();
      if (done) return controller.close();
      for (const chunk of value) {
        bytes += chunk.length;
        try {
          if (bytes > bytesMax)
            throw new OutboundError("too_large", `The answer is larger than ${bytesMax} bytes`);
          count(chunk);
        } catch (error) {
          response.abort();
          throw error;
        }
        controller.enqueue(chunk);
      }
    },
    cancel: () => response.abort(),
  });
}

const headersOf = (given: RequestInit["headers"]): Record<string, string> =>
  Object.fromEntries(new Headers(given).entries());

function textOf(body: RequestInit["body"]): string | undefined {
  if (body == null) return undefined;
  if (typeof body === "string") return body;
  throw new TypeError("Requests to providers are JSON text");
}

/**
 * The guarded outbound connections in the form of `fetch`: address guard, pools, timeouts and size limits apply. A
 * status other than 200 is thrown as its failure, so that packages do not see its text.
 */
export function guardedFetch(
  exchange: Exchange,
  firstByteTimeoutMs: number,
  bounds: JsonBounds = limits.upstream.packageAnswer,
): GuardedFetch {
  const open = new Set<OutboundResponse>();
  return {
    fetch: async (input, init = {}) => {
      const body = textOf(init.body);
      const response = await exchange.outbound.send({
        url: new URL(input instanceof Request ? input.url : input),
        method: init.method === "GET" ? "GET" : "POST",
        headers: { ...headersOf(init.headers), [correlationHeader]: exchange.generationId },
        ...(body !== undefined && { body }),
        firstByteTimeoutMs,
        idleTimeoutMs: exchange.idleTimeoutMs,
        deadlineMs: exchange.deadlineMs,
        signal: exchange.signal,
      });
      if (response.status !== 200) throw await refused(response, exchange.body);
      open.add(response);
      const headers = new Headers();
      const type = response.headers["content-type"];
      if (typeof type === "string") headers.set("content-type", type);
      return new Response(bodyOf(response, counterFor(type, bounds)), { status: 200, headers });
    },
    close() {
      for (const response of open) response.abort();
    },
  };
}
