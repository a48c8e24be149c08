// An upstream that streams one event every 20 ms, whatever else happens on this machine.
import { createServer } from "node:http";
import { event } from "./answer.ts";
import { serve } from "./serve.ts";

const everyMs = 20;
const count = Number(process.argv[2] ?? 250);
const choice = (text: string, finish_reason: string | null) => ({
  choices: [{ index: 0, text, logprobs: null, finish_reason }],
});
const piece = event(choice("word ", null));
const ending =
  event(choice("", "stop")) +
  event({ choices: [], usage: { prompt_tokens: 8, completion_tokens: count, total_tokens: 8 + count } }) +
  "data: [DONE]\n\n";

await serve(
  createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(piece);
        if (++sent < count) return;
        clearInterval(timer);
        response.end(ending);
      }, everyMs);
      response.once("close", () => clearInterval(timer));
    });
  }),
);
