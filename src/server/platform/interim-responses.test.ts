import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { clock } from "./clock.ts";
import { allowedHosts, Outbound } from "./outbound.ts";

/** What the server answers each request on a connection with, in pieces that are sent one by one. */
let pieces: readonly string[] = [];
let connections = 0;
const server = createServer((socket: Socket) => {
  connections++;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  let received = "";
  socket.on("data", async (bytes) => {
    received += bytes;
    if (!received.endsWith("{}")) return;
    received = "";
    for (const piece of pieces) {
      await new Promise((sent) => socket.write(piece, "latin1", sent));
      await new Promise((turn) => setImmediate(turn));
    }
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  server.close();
});

async function answered(sent: readonly string[]) {
  pieces = sent;
  const response = await outbound.send({
    url,
    method: "POST",
    headers: {},
    body: "{}",
    firstByteTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    deadlineMs: clock.monotonicMs() + 5_000,
  });
  return { status: response.status, text: await response.text(1_000) };
}

const goOn = "HTTP/1.1 100 Continue\r\n\r\n";
const hints = "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n";
const processing = "HTTP/1.0 102 Processing\r\n\r\n";
const final = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

test.each([
  ["100", [goOn, final("yes")]],
  ["100 in one piece with the answer", [goOn + final("yes")]],
  ["103", [hints, final("yes")]],
  ["several of them", [goOn + hints, processing, goOn + final("yes")]],
  ["none", [final("yes")]],
])("interim responses before the answer are skipped: %s", async (_what, sent) => {
  expect(await answered(sent)).toEqual({ status: 200, text: "yes" });
});

test("interim responses are skipped wherever their bytes are split", async () => {
  const all = goOn + hints + final("yes");
  for (let at = 1; at < all.length; at++)
    expect(await answered([all.slice(0, at), all.slice(at)]), `split at ${at}`).toEqual({
      status: 200,
      text: "yes",
    });
});

test("a body that reads like an interim response is the body, and the connection is used again", async () => {
  const before = connections;
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${goOn.length}\r\n\r\n`;
  for (let round = 0; round < 3; round++)
    expect(await answered([goOn, head, goOn])).toEqual({ status: 200, text: goOn });
  expect(connections - before).toBeLessThan(2);
});
