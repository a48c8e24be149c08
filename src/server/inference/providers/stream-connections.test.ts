import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { httpUpstream } from "./http-upstream.ts";

const event = 'data: {"choices":[]}\n\n';
const end = "data: [DONE]\n\n";
/** The next request may be sent before the end of the one before has been read. */
const atMost = 2;
const sockets = new Set<Socket>();
let answer: (res: ServerResponse) => void;
const server = createServer((req, res) => {
  sockets.add(req.socket);
  req.resume().on("end", () => answer(res));
});
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
let url: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(async () => {
  await outbound.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Resolves when the answer has been read up to its end, and its provider has ended it. */
async function stream(ends: (res: ServerResponse) => void): Promise<void> {
  const finished = vi.fn();
  answer = (res) => {
    res.on("finish", finished);
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write(event);
    ends(res);
  };
  for await (const _ of httpUpstream({ url, headers: {} }).stream(exchangeWith(outbound, {})));
  await vi.waitFor(() => expect(finished).toHaveBeenCalled());
}

test.each<[string, (res: ServerResponse) => void]>([
  ["with its last event", (res) => res.end(end)],
  ["after its last event", (res) => res.write(end, () => setImmediate(() => res.end()))],
])("streams whose body ends %s share a connection", async (_when, ends) => {
  sockets.clear();
  for (let at = 0; at < 5; at++) await stream(ends);
  expect(sockets.size).toBeLessThanOrEqual(atMost);
});

test("refused requests share a connection", async () => {
  sockets.clear();
  answer = (res) => {
    res.writeHead(503).write("out of order");
    setImmediate(() => res.end());
  };
  for (let at = 0; at < 5; at++) {
    const asked = httpUpstream({ url, headers: {} }).complete(exchangeWith(outbound, {}));
    await expect(asked).rejects.toMatchObject({ failure: { status: 503 } });
    await new Promise(setImmediate);
  }
  expect(sockets.size).toBeLessThanOrEqual(atMost);
});
