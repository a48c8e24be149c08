// The upstream of every subject: reads the request and answers at once, complete or as events.
import { createServer } from "node:http";
import { answer, events } from "./answer.ts";
import { serve } from "./serve.ts";

const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(answer)) };
const streamed = { "content-type": "text/event-stream" };

await serve(
  createServer((request, response) => {
    let wanted = "";
    request.setEncoding("latin1");
    request.on("data", (part: string) => {
      wanted += part;
    });
    request.on("end", () => {
      if (wanted.includes('"stream":true')) {
        response.writeHead(200, streamed);
        for (const event of events) response.write(event);
        response.end();
      } else {
        response.writeHead(200, headers);
        response.end(answer);
      }
    });
  }),
);
