import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expected } from "./answer.ts";

interface Order {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly perSecond: number;
  readonly seconds: number;
}

const agent = new Agent({ keepAlive: true });
/** How often it is checked whether requests are due. */
const checkEveryMs = 2;

/** Sends one request and returns the time to the end of its answer. Rejects if it is not the one expected. */
function ask({ url, headers, body }: Order): Promise<number> {
  const sinceMs = performance.now();
  return new Promise((resolve, reject) => {
    const options = { agent, method: "POST", headers: { ...headers, "content-type": "application/json" } };
    request(url, options, async (response) => {
      let text = "";
      for await (const part of response.setEncoding("utf8")) text += part;
      if (response.statusCode === 200 && expected.complete.every((one) => text.includes(one)))
        resolve(performance.now() - sinceMs);
      else reject(new Error(`${response.statusCode} ${text.slice(0, 500)}`));
    })
      .on("error", reject)
      .end(body);
  });
}

/** Sends requests at a fixed pace, whether answered or not, and returns how long their answers took. Rejects if one is wrong. */
export async function pacedRequests(order: Order): Promise<{ p50Ms: number; p99Ms: number }> {
  const asked: Promise<number>[] = [];
  let failure: Error | undefined;
  const askOnce = () =>
    ask(order).catch((error: Error) => {
      failure ??= error;
      return 0;
    });
  const startMs = performance.now();
  for (let atMs = 0; atMs < order.seconds * 1000 && !failure; atMs = performance.now() - startMs) {
    while (asked.length < (atMs * order.perSecond) / 1000) asked.push(askOnce());
    await pause(checkEveryMs);
  }
  const tookMs = (await Promise.all(asked)).toSorted((left, right) => left - right);
  if (failure) throw failure;
  const quantile = (share: number) => tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}
