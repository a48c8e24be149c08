import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FramesEnd } from "#server/inference/index.ts";
import { respondEvents } from "./sse.ts";

const events = ["data: one\n\n", "data: zwölf 🧭\n\n", `data: ${"x".repeat(70_000)}\n\n`];

async function* frames(): AsyncGenerator<string, FramesEnd, undefined> {
  for (const event of events) yield* [event, ""];
  return "ended";
}

interface Serving {
  readonly waiting?: boolean;
  /** Is given each response before its events. */
  readonly each?: (res: ServerResponse) => void;
}

/** A server that answers each request with the events. Returns its port. */
async function serveEvents({ waiting = false, each = () => {} }: Serving = {}): Promise<number> {
  const server = createServer((_req, res) => {
    each(res);
    void respondEvents(res, frames(), "req-1", {}, { waiting });
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** The bytes that a client receives for what it sends, until the server closes the connection. */
async function receive(port: number, sent: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(sent);
  let received = "";
  for await (const part of socket.setEncoding("utf8")) received += part;
  return received;
}

const chunked = (event: string) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
const body = (received: string) => received.slice(received.indexOf("\r\n\r\n") + 4);

test("each event is one chunk of the length of its bytes, and one without text is none", async () => {
  const port = await serveEvents({ waiting: true });
  const received = await receive(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  expect(received).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
  expect(body(received)).toBe(`${[": keep-alive\n\n", ...events].map(chunked).join("")}0\r\n\r\n`);
});

test("the connection serves another request after a stream", async () => {
  const port = await serveEvents();
  const answer = `${events.map(chunked).join("")}0\r\n\r\n`;
  const received = await receive(
    port,
    "GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
  );
  expect(received.split(answer)).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 200 /),
    expect.stringMatching(/^HTTP\/1\.1 200 /),
    "",
  ]);
});

test("what is written in one turn of the event loop is sent in one call, with the end of the body", async () => {
  const port = await serveEvents({
    each: (res) => {
      vi.spyOn(res, "write");
      vi.spyOn(res, "end");
      res.once("close", () => {
        expect.soft(res.write).not.toHaveBeenCalled();
        expect.soft(res.end).toHaveBeenCalledExactlyOnceWith(`${events.map(chunked).join("")}0\r\n\r\n`);
      });
    },
  });
  await receive(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  expect.assertions(2);
});

test("a client with HTTP/1.0 gets the events without chunks", async () => {
  const received = await receive(await serveEvents(), "GET / HTTP/1.0\r\n\r\n");
  expect(received).not.toMatch(/transfer-encoding/i);
  expect(body(received)).toBe(events.join(""));
});
