// Asks a server for its health on a thread of its own, so that what the test does meanwhile is not measured.
// Each answer's time goes to the test in milliseconds, without what either side waited for a processor that others
// had; null for a request that was not answered.
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const everyMs = 20;
const patienceMs = 10_000;
const { origin, pid } = workerData;

/** How long a thread could have run and did not. Of one that has ended nothing counts. */
function starvedOf(file) {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[1]) / 1e6;
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return 0;
    throw error;
  }
}

/** The same of the server's main thread and this one together. */
const starvedMs = () =>
  starvedOf(`/proc/${pid}/task/${pid}/schedstat`) + starvedOf("/proc/thread-self/schedstat");

function ask() {
  const sentMs = performance.now();
  const starvedBeforeMs = starvedMs();
  const answered = (isAlive) => {
    parentPort.postMessage(isAlive ? performance.now() - sentMs - (starvedMs() - starvedBeforeMs) : null);
    setTimeout(ask, everyMs);
  };
  // Of its own, so that connecting is measured as well.
  get(`${origin}/health/live`, { agent: false, timeout: patienceMs }, (res) => {
    res.resume().on("end", () => answered(res.statusCode === 200));
  })
    .on("timeout", function giveUp() {
      this.destroy();
    })
    .on("error", () => answered(false));
}

ask();
