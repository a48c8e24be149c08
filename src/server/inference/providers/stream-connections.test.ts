import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { exchangeWith } from "#test/dialects/exchange.ts";
import { httpUpstream } from "./http-upstream.ts";
import { endOfEvents } from "./kind.ts";

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
const upstream = () => httpUpstream({ url, headers: {} });
let url: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterAll(async () => {
  await outbound.close();
  await new Promise((resolve) => server.close(resolve));
});

/** What the provider has begun to send; its `end` comes when the test wants it. */
function begin(status: number, text: string): Promise<ServerResponse> {
  return new Promise((resolve) => {
    answer = (res) => {
      res.writeHead(status, { "content-type": "text/event-stream" });
      res.write(text);
      resolve(res);
    };
  });
}

const endOf = (res: ServerResponse) => new Promise<void>((resolve) => res.end(resolve));

beforeEach(() => sockets.clear());

test("streams share a connection, although their body ends after its last event was read", async () => {
  for (let at = 0; at < 5; at++) {
    const sent = begin(200, event + end);
    const source = upstream().stream(exchangeWith(outbound, {}));
    expect((await Array.fromAsync(source)).flat()).toEqual([{ choices: [] }, endOfEvents]);
    await source.close();
    await endOf(await sent);
  }
  expect(sockets.size).toBeLessThanOrEqual(atMost);
});

test("refused requests share a connection, although their body is not read", async () => {
  for (let at = 0; at < 5; at++) {
    const sent = begin(503, "out of order");
    const asked = upstream().complete(exchangeWith(outbound, {}));
    await expect(asked).rejects.toMatchObject({ failure: { status: 503 } });
    await endOf(await sent);
  }
  expect(sockets.size).toBeLessThanOrEqual(atMost);
});

test("the reader of a stream closes its connection, also while it is opened and after a failure", async () => {
  for (const text of [event, "data: broken\n\n"]) {
    const sent = begin(200, text);
    const source = upstream().stream(exchangeWith(outbound, {}));
    if (text === event) {
      expect(source.take()).toBe("waiting");
      await source.close();
    } else {
      await expect(source.next()).rejects.toMatchObject({ failure: { outcome: "malformed" } });
      await source.close();
    }
    const { socket } = await sent;
    await vi.waitFor(() => expect(socket?.destroyed ?? true).toBe(true));
  }
});
