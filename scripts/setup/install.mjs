import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { binDirectory, cacheDirectory, pinnedNode, root } from "./paths.mjs";
import { run } from "./run.mjs";
import { digestOf } from "./stamp.mjs";

const manifest = () => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const nodeMajorNeeded = 26;

/** What decides which packages are installed: the dependency lists and the lock file, not the scripts. */
export function installDigest() {
  const { dependencies, devDependencies, overrides, allowScripts } = manifest();
  return digestOf(
    ["package-lock.json"],
    [
      JSON.stringify({ dependencies, devDependencies, overrides, allowScripts }),
      process.platform,
      process.arch,
    ],
  );
}

/** Whether an installation is there at all (its age is the stamp's affair). */
export const isInstalled = () =>
  existsSync(join(root, "node_modules", ".package-lock.json")) && existsSync(pinnedNode);

/**
 * `npm install`, and never `npm ci`: a lock file written where the registry lacks other platforms'
 * optional packages is refused by `npm ci`.
 */
export async function install() {
  await run("npm", ["install", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], {
    // With NODE_ENV=production npm would leave out the pinned Node.
    env: { NODE_ENV: undefined },
    advice: "check that the npm registry can be reached (npm ping), then run the same command again.",
  });
  if (!pinnedNodeWorks()) await installNodeByHand();
}

function pinnedNodeWorks() {
  try {
    const version = execFileSync(pinnedNode, ["-v"], {
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    return Number(version.slice(1).split(".")[0]) >= nodeMajorNeeded;
  } catch {
    // Absent, a dangling link, or for another machine: all mean "not installed here".
    return false;
  }
}

/** The package that holds Node's executable for this machine, named as the package `node` names it. */
function platformPackage() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  return `${prefix}-${platform}-${process.arch}`;
}

/** Where npm runs no install scripts, the executable is fetched and put in place as the package `node` would. */
async function installNodeByHand() {
  const name = platformPackage();
  const version = manifest().devDependencies.node;
  const folder = join(cacheDirectory, "node");
  mkdirSync(folder, { recursive: true });
  const advice = `Node ${version} has no package for this machine or it could not be fetched: see npm view ${name}.`;
  await run("npm", ["install", "--prefix", folder, "--no-save", "--ignore-scripts", `${name}@${version}`], {
    advice,
  });
  const source = join(
    folder,
    "node_modules",
    name,
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  const target = join(root, "node_modules", "node", "bin", "node");
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { force: true });
  copyFileSync(source, target);
  chmodSync(target, 0o755);
  rmSync(pinnedNode, { force: true });
  mkdirSync(binDirectory, { recursive: true });
  symlinkSync(join("..", "node", "bin", "node"), pinnedNode);
  if (!pinnedNodeWorks()) throw new Error(`${pinnedNode} does not run on this machine; ${advice}`);
}
