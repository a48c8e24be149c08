// npm start and npm run dev: set up what is missing, then serve on the pinned Node.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { cacheDirectory, pinnedNode, root } from "./setup/paths.mjs";
import { childEnvironment } from "./setup/run.mjs";
import { serverEnvironment, serverFlags } from "./setup/server-flags.mjs";
import { setUpOrExit } from "./setup.mjs";

const orphanCheckMs = 250;
const developing = process.argv.includes("--dev");
await setUpOrExit({ production: !developing });

// The later file wins over the earlier, and the environment over both.
const settingsFiles = [".env", ".env.local"].filter((file) => existsSync(join(root, file)));
const args = [
  ...serverFlags,
  ...(developing ? ["--watch", "--watch-preserve-output"] : []),
  ...settingsFiles.map((file) => `--env-file=${file}`),
  developing ? "src/server/main.ts" : ".server/main.mjs",
];
const env = {
  ...serverEnvironment,
  ...childEnvironment({
    NODE_ENV: developing ? "development" : "production",
    NODE_COMPILE_CACHE: join(cacheDirectory, "compiled"),
  }),
};

// The server takes this process over where Node can do that: one process less, and signals reach the server itself.
// Below npm this process remains, because somebody has to notice that npm is gone.
if (!developing && process.execve && !process.env.npm_lifecycle_event) {
  process.chdir(root);
  process.execve(pinnedNode, [pinnedNode, ...args], env);
}
const server = spawn(pinnedNode, args, {
  cwd: root,
  stdio: "inherit",
  env,
  shell: process.platform === "win32",
});

// A terminal sends Ctrl-C to the whole group, so the server has it already; a supervisor sends it only here.
const forwarded = process.stdin.isTTY ? ["SIGTERM"] : ["SIGTERM", "SIGINT", "SIGHUP"];
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.on(signal, () => {
    if (forwarded.includes(signal)) server.kill(signal);
  });
}
// npm passes a signal to its shell, which dies without notifying this process: its parent changes instead.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    server.kill("SIGTERM");
  }, orphanCheckMs);
  watch.unref();
}
server.on("error", (error) => {
  console.error(`The server could not be started: ${error.message}`);
  process.exit(1);
});
server.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
