// The reader of paced streams, a process of its own: when did each piece come?
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { PacedOrder, type PacedResult, stallMs } from "./paced-load.ts";

const order = PacedOrder.parse(JSON.parse(process.argv[2] ?? ""));
const agent = new Agent({ maxSockets: order.streams });
/** All streams are begun within this time, as people come. */
const openingMs = 1500;
const firstMs: number[] = [];
const gapsMs: number[] = [];
const wrong: string[] = [];

/** Reads one stream to its end and notes the time between its pieces. */
function read(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (reason?: string) => {
    if (reason) wrong.push(reason);
    resolve();
  };
  const beganMs = performance.now();
  const headers = { ...order.headers, "content-type": "application/json" };
  const asking = request(order.url, { method: "POST", agent, headers }, (response) => {
    let lastMs = 0;
    let pieces = 0;
    let end = "";
    response.setEncoding("latin1");
    response.on("data", (text: string) => {
      const nowMs = performance.now();
      if (lastMs > 0) gapsMs.push(nowMs - lastMs);
      else firstMs.push(nowMs - beganMs);
      lastMs = nowMs;
      pieces += text.split('"text":"word "').length - 1;
      end = text.slice(-20);
    });
    response.on("end", () => {
      const complete = response.statusCode === 200 && pieces === order.pieces && end.includes("[DONE]");
      done(complete ? undefined : `${response.statusCode}, ${pieces} of ${order.pieces} pieces, then ${end}`);
    });
    response.on("error", (error) => done(error.message));
  });
  asking.on("error", (error) => done(error.message));
  asking.end(order.body);
  return promise;
}

const reading: Promise<void>[] = [];
for (let at = 0; at < order.streams; at++) {
  reading.push(read());
  await pause(openingMs / order.streams);
}
await Promise.all(reading);
agent.destroy();
for (const times of [firstMs, gapsMs]) times.sort((left, right) => left - right);
const quantile = (times: readonly number[], share: number) =>
  times[Math.floor((times.length - 1) * share)] ?? 0;
const result: PacedResult = {
  first_p50_ms: quantile(firstMs, 0.5),
  first_p99_ms: quantile(firstMs, 0.99),
  gaps: gapsMs.length,
  p50_ms: quantile(gapsMs, 0.5),
  p99_ms: quantile(gapsMs, 0.99),
  max_ms: quantile(gapsMs, 1),
  stalls: gapsMs.filter((gap) => gap > stallMs).length,
  wrong: wrong.slice(0, 3),
};
process.stdout.write(JSON.stringify(result));
