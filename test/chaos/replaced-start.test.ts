import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "#test/directories.ts";
import { eventually } from "./gateway-process.ts";
import { freePort } from "./installation.ts";

test("on a Node that can, the start script becomes the server, which gets its signals and ends with 0", {
  timeout: 180_000,
}, async () => {
  const port = await freePort();
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    env: {
      ...process.env,
      ...{ HOST: "127.0.0.1", PORT: String(port), LOG_LEVEL: "error", EXCHANGE_RATES_URL: "off" },
      DATA_DIR: temporaryDirectory(),
      // Vitest may run below npm.
      npm_lifecycle_event: "",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await eventually("readiness", ready, 150_000);
  expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).toContain(".server/main.mjs");
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
