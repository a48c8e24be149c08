import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packageName = "@portkey-ai/gateway";
const own = fileURLToPath(new URL("../node_modules/", import.meta.url));
/** Installed apart, so that a peer's dependencies never meet ours. */
const apart = join(own, ".cache/bench-peer");
const places = [own, join(apart, "node_modules")].map((folder) => join(folder, packageName));

export interface Peer {
  readonly version: string;
  readonly script: string;
}

/** Portkey's gateway from npm: where it is installed, or, when `fetching`, installed now. Null when it is not there. */
export function findPeer(fetching: boolean): Peer | null {
  let folder = places.find(existsSync);
  if (!folder && fetching) {
    mkdirSync(apart, { recursive: true });
    writeFileSync(join(apart, "package.json"), JSON.stringify({ private: true }));
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", packageName], {
      cwd: apart,
      stdio: "inherit",
    });
    folder = places.find(existsSync);
  }
  if (!folder) return null;
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { version: String(version), script: join(folder, "build/start-server.js") };
}
