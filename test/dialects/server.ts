import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface LoopbackUpstream {
  readonly origin: string;
  /** Requests in the order they came. */
  readonly received: Received[];
  /** Connections that are open now. */
  connections(): Promise<number>;
  /** What the next requests are answered with. */
  answer: (response: ServerResponse, received: Received) => void;
  close(): Promise<void>;
}

/** A provider on loopback whose answers a test defines. */
export async function startUpstream(): Promise<LoopbackUpstream> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const received = {
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? null : JSON.parse(text),
    };
    upstream.received.push(received);
    upstream.answer(response, received);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const upstream: LoopbackUpstream = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    answer: (response) => response.writeHead(500).end(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return upstream;
}
