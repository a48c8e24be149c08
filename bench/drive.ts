// The load driver, a process of its own: 32 connections, each sending its next request when it has its answer.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expected } from "./answer.ts";
import { LoadOrder, type LoadResult } from "./load.ts";
import { ResponseReader } from "./response-reader.ts";

const order = LoadOrder.parse(JSON.parse(process.argv[2] ?? ""));
const url = new URL(order.url);
const wanted = expected[order.mode];

const request = Buffer.from(
  [
    `POST ${url.pathname} HTTP/1.1`,
    `host: ${url.host}`,
    "content-type: application/json",
    ...Object.entries(order.headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(order.body)}`,
    "",
    order.body,
  ].join("\r\n"),
);

const latenciesMs: number[] = [];
const wrong: string[] = [];
let stopAt = 0;

async function connected(): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  await once(socket, "connect");
  return socket;
}

/** Sends over one connection until the time is over or the server wants a new one; resolves true to go on. */
function askRepeatedly(socket: Socket): Promise<boolean> {
  const reader = new ResponseReader();
  let sentAt = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = (goOn: boolean, reason?: string) => {
    if (reason) wrong.push(reason);
    socket.destroy();
    resolve(goOn);
  };
  const ask = () => {
    sentAt = performance.now();
    socket.write(request);
  };
  socket.on("data", (bytes: Buffer) => {
    const response = reader.push(bytes);
    if (!response) return;
    const now = performance.now();
    latenciesMs.push(now - sentAt);
    if (response.status !== 200 || !wanted.every((text) => response.text.includes(text))) {
      stop(false, `${response.status} ${response.text.slice(0, 500)}`);
    } else if (now >= stopAt || response.last) stop(now < stopAt);
    else ask();
  });
  socket.on("error", (error) => stop(false, error.message));
  socket.on("end", () => stop(false, "the connection was closed in mid-run"));
  ask();
  return promise;
}

const sockets = await Promise.all(Array.from({ length: order.connections }, connected));
const startedAt = performance.now();
stopAt = startedAt + order.seconds * 1000;
await Promise.all(
  sockets.map(async (first) => {
    let goOn = await askRepeatedly(first);
    while (goOn) goOn = await askRepeatedly(await connected());
  }),
);

const tookMs = performance.now() - startedAt;
latenciesMs.sort((left, right) => left - right);
const quantile = (share: number) => latenciesMs[Math.floor((latenciesMs.length - 1) * share)] ?? 0;
const result: LoadResult = {
  requests: latenciesMs.length,
  requests_per_second: latenciesMs.length / (tookMs / 1000),
  p50_ms: quantile(0.5),
  p99_ms: quantile(0.99),
  wrong: wrong.slice(0, 3),
};
process.stdout.write(JSON.stringify(result));
