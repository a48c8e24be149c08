import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answers, freePort, start } from "./child.ts";
import type { Peer } from "./peers.ts";

const packageName = "@portkey-ai/gateway";
const own = fileURLToPath(new URL("../node_modules/", import.meta.url));
/** Installed apart, so that a peer's dependencies never meet ours. */
const apart = join(own, ".cache/bench-peer");
const places = [own, join(apart, "node_modules")].map((folder) => join(folder, packageName));

function install(): void {
  mkdirSync(apart, { recursive: true });
  writeFileSync(join(apart, "package.json"), JSON.stringify({ private: true }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", packageName], {
    cwd: apart,
    stdio: "inherit",
  });
}

/** Portkey's gateway from npm: where it is installed, or, when `fetching`, installed now. Null when it is not there. */
export function findPortkey(fetching: boolean): Peer | null {
  if (fetching && !places.some(existsSync)) install();
  const folder = places.find(existsSync);
  if (!folder) return null;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return {
    version: String(version),
    async start(upstream) {
      const port = await freePort();
      const script = join(folder, "build/start-server.js");
      const running = await start(process.execPath, [script, `--port=${port}`, "--headless"], {
        env: { NODE_ENV: "production" },
      });
      await answers(`http://127.0.0.1:${port}/`);
      return {
        ...running,
        url: `http://127.0.0.1:${port}/v1/completions`,
        headers: {
          authorization: "Bearer upstream",
          "x-portkey-provider": "openai",
          "x-portkey-custom-host": `${upstream}/v1`,
        },
      };
    },
  };
}
