// A receiver of traces that is out of order until `POST /repair`.
import { createServer } from "node:http";
import { serve } from "./serve.ts";

let works = false;

await serve(
  createServer((request, response) => {
    if (request.url === "/repair") works = true;
    request.resume();
    request.on("end", () => response.writeHead(works ? 200 : 503, { "content-length": "0" }).end());
  }),
);
