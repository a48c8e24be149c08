// The least that a gateway on Node can do: take a request, send it on through a pool, hand back the answer.
import { createServer, type ServerResponse } from "node:http";
import { type Dispatcher, Pool } from "undici";
import { serve } from "./serve.ts";

const upstream = process.argv[2];
if (!upstream) throw new Error("Usage: relay.ts <origin of the upstream>");
const pool = new Pool(upstream, { connections: null });

const outgoing = {
  path: "/v1/completions",
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer upstream" },
} as const;

/** Hands the answer on as it comes: the bytes untouched, with the upstream's type and length. */
function handTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, headers);
    },
    onResponseData(_controller, part) {
      response.write(part);
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError(_controller, error) {
      process.stderr.write(`${error}\n`);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}

await serve(
  createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => pool.dispatch({ ...outgoing, body: Buffer.concat(parts) }, handTo(response)));
  }),
);
