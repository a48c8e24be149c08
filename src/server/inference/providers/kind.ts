import type { Api, Endpoint } from "#server/catalog/index.ts";

/** Where and how to send a request of one operation to one endpoint. */
export interface Target {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A way of speaking to providers. One file each, one line in the registry. */
export interface ProviderKind {
  readonly kind: string;
  readonly title: string;
  /** The target for an operation, or null when this kind does not speak it. */
  target(endpoint: Endpoint, api: Api, credential: string | undefined): Target | null;
}
