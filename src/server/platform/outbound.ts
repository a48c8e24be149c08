import { buildConnector, Pool } from "undici";
import { type AllowedHosts, checkUrl, type GuardOptions, guardedLookup, refusalOf } from "./address-guard.ts";
import { skipInterimResponses } from "./interim-responses.ts";
import { limits } from "./limits.ts";
import { OutboundError } from "./outbound-error.ts";
import { Exchange, type OutboundRequest, type OutboundResponse } from "./outbound-exchange.ts";

export { allowedHosts, mayConnect } from "./address-guard.ts";
export { OutboundError, type OutboundFailure } from "./outbound-error.ts";
export type { OutboundRequest, OutboundResponse } from "./outbound-exchange.ts";

/** All outgoing HTTP requests: pooled connections, address guard, explicit timeouts, no redirects. */
export class Outbound {
  readonly #allowed: AllowedHosts;
  readonly #options: GuardOptions;
  readonly #pools = new Map<string, Pool>();

  /** The setting that allows private hosts. */
  readonly setting: string;

  constructor(allowed: AllowedHosts, options: GuardOptions = { setting: "ALLOW_PRIVATE_HOSTS" }) {
    this.#allowed = allowed;
    this.#options = options;
    this.setting = options.setting;
  }

  /** Why requests to a URL are refused, or null. For checking a URL when it is saved. */
  refusal(url: URL): Promise<string | null> {
    return refusalOf(url, this.#allowed, this.#options);
  }

  /** Sends a request. Resolves when the response's head arrives. Throws `OutboundError`. */
  send(request: OutboundRequest): Promise<OutboundResponse> {
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, { resolve, reject });
      try {
        this.#pool(request.url).dispatch(
          {
            path: request.url.pathname + request.url.search,
            method: request.method,
            headers: request.headers,
            body: request.body ?? null,
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          exchange,
        );
      } catch (error) {
        exchange.onResponseError(undefined, error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  #pool(url: URL): Pool {
    // Credentials are not part of an origin, so they must be checked even if its pool is open.
    if (url.username || url.password) throw new OutboundError("blocked", "No credentials in URLs");
    const known = this.#pools.get(url.origin);
    if (known) return known;
    checkUrl(url, this.#allowed, this.#options);
    const connector = buildConnector({
      timeout: limits.upstream.connectTimeoutMs,
      lookup: guardedLookup(url, this.#allowed, this.#options),
    });
    const pool = new Pool(url.origin, {
      connections: limits.upstream.connectionsPerOriginMax,
      keepAliveTimeout: limits.upstream.keepAliveTimeoutMs,
      maxHeaderSize: limits.upstream.headerBytesMax,
      connect: (options, callback) =>
        connector(options, (...result) => {
          if (result[1]) skipInterimResponses(result[1]);
          callback(...result);
        }),
    });
    this.#pools.set(url.origin, pool);
    return pool;
  }
}
