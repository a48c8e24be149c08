// Loaded into a server before all else (--import): the console is left out, and the process that started it can ask
// how long its event loop was held up, by the clock and by what the thread itself computed, and how much memory it has.
import { registerHooks } from "node:module";
import { monitorEventLoopDelay } from "node:perf_hooks";

const noConsole = new URL("../setup/no-console.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.endsWith("/http/console.ts") ? noConsole : specifier, context),
});

const everyMs = 2;
const delay = monitorEventLoopDelay({ resolution: everyMs });
delay.enable();

let longestMs = 0;
let before = process.threadCpuUsage();
setInterval(() => {
  const now = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (now.user + now.system - before.user - before.system) / 1000);
  before = now;
}, everyMs).unref();

process.on("message", (asked) => {
  if (asked === "watch: begin") {
    delay.reset();
    longestMs = 0;
  }
  if (asked === "watch: collect") globalThis.gc?.();
  if (typeof asked !== "string" || !asked.startsWith("watch: ")) return;
  const { rss, heapUsed, external } = process.memoryUsage();
  const watched = { delayMs: delay.max / 1e6, turnMs: longestMs, rss, liveBytes: heapUsed + external };
  process.send({ watched });
});
process.channel?.unref();
