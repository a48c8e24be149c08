import { data } from "#contract/common.ts";
import { Destination } from "#contract/destination.ts";
import type { TestServer } from "./server.ts";

export const One = data(Destination);

/** Requests to paths under `/broadcast-destinations`, with `ownKey` unless another key is given. */
export const destinationClient =
  (server: TestServer, ownKey: string) =>
  (method: string, path: string, body?: unknown, key = ownKey): Promise<Response> =>
    server.send(method, `/broadcast-destinations${path}`, {
      key,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

/** A destination with only what is required. */
export const least = {
  name: "Langfuse",
  type: "langfuse",
  config: { publicKey: "pk-lf-1", secretKey: "sk-lf-very-secret-value" },
};
