// npm run bench:streams: many streams at once, a piece every 20 ms, read directly and through this gateway in one run.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { requestBody } from "./answer.ts";
import { startGateway } from "./gateway.ts";
import { type PacedResult, pacedLoad } from "./paced-load.ts";
import { residentMib } from "./process-facts.ts";
import { machineFacts } from "./report.ts";
import { startScript } from "./subjects.ts";

const { values } = parseArgs({
  options: { streams: { type: "string", default: "500" }, pieces: { type: "string", default: "500" } },
});
const [streams, pieces] = [Number(values.streams), Number(values.pieces)];
const lookEveryMs = 250;

const upstream = await startScript("pace-upstream.ts", String(pieces));
const gateway = await startGateway(upstream.firstLine);
try {
  const order = { streams, pieces };
  const direct = {
    url: `${upstream.firstLine}/v1/completions`,
    headers: {},
    body: requestBody("echo", "stream"),
  };
  const through = { ...gateway, body: requestBody("bench/echo", "stream") };
  const warm = await pacedLoad({ ...through, streams: 20, pieces });
  const idle = residentMib(gateway.pid);
  let peak = idle;
  const looking = setInterval(() => {
    peak = Math.max(peak, residentMib(gateway.pid));
  }, lookEveryMs);
  const results: [string, PacedResult][] = [
    ["directly", await pacedLoad({ ...direct, ...order })],
    ["through Portolan", await pacedLoad({ ...through, ...order })],
    ["directly again", await pacedLoad({ ...direct, ...order })],
  ];
  clearInterval(looking);
  console.log(
    `${streams} streams at once, ${pieces} pieces each, one every 20 ms. Time between two pieces:\n`,
  );
  for (const [how, { p50_ms: p50, p99_ms: p99, max_ms: max, over_120_ms: stalls, gaps }] of results)
    console.log(
      `${how.padEnd(17)} p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)}  max ${max.toFixed(1)} ms; over 120 ms: ${stalls} of ${gaps}`,
    );
  console.log(`RSS ${idle.toFixed(0)} MiB after 20 streams, ${peak.toFixed(0)} MiB at most.`);
  const { cores, cpu, node, commit } = machineFacts();
  console.log(`${cores} cores (${cpu}), Node ${node}, commit ${commit}, load ${loadavg()[0]?.toFixed(1)}.`);
  const wrong = [warm, ...results.map(([, result]) => result)].flatMap((result) => result.wrong);
  if (wrong.length > 0) {
    console.error(`Some streams were incomplete:\n${wrong.join("\n")}`);
    process.exitCode = 1;
  }
} finally {
  await gateway.stop();
  await upstream.stop();
}
