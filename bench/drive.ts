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

/** Sends until the time is over; resolves when the last answer is in. */
function keepAsking(socket: Socket): Promise<void> {
  const reader = new ResponseReader();
  let sentAt = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (reason?: string) => {
    if (reason) wrong.push(reason);
    socket.destroy();
    resolve();
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
      stop(`${response.status} ${response.text.slice(0, 500)}`);
    } else if (now < stopAt) ask();
    else stop();
  });
  socket.on("error", (error) => stop(error.message));
  socket.on("end", () => stop("the connection was closed in mid-run"));
  ask();
  return promise;
}

const sockets = await Promise.all(
  Array.from({ length: order.connections }, async () => {
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    await once(socket, "connect");
    return socket;
  }),
);
const startedAt = performance.now();
stopAt = startedAt + order.seconds * 1000;
await Promise.all(sockets.map(keepAsking));

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
