import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cacheDirectory, pinnedNode, root } from "./paths.mjs";
import { run, StepFailed } from "./run.mjs";

const record = join(cacheDirectory, "browser.json");
const downloadTimeoutMs = 5 * 60_000;

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "microsoft-edge",
];
const usualPlaces = [
  "/usr/lib/chromium/chromium",
  "/opt/google/chrome/chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** A browser that is there but does not start (a stub, missing libraries) is none. */
function starts(path) {
  try {
    execFileSync(path, ["--version"], { stdio: "ignore", timeout: 15_000 });
    return true;
  } catch {
    return false;
  }
}

function playwrightsOwn() {
  const script = "process.stdout.write(require('playwright-core').chromium.executablePath())";
  try {
    return execFileSync(pinnedNode, ["-e", script], { encoding: "utf8", cwd: root });
  } catch {
    return "";
  }
}

function findBrowser() {
  const inPath = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  const candidates = [process.env.CHROME_PATH, ...inPath, ...usualPlaces, playwrightsOwn()];
  return candidates.find((path) => path && existsSync(path) && starts(path));
}

const ways = [
  {
    possible: () => true,
    command: join(root, "node_modules", ".bin", "playwright"),
    steps: [["install", "chromium"]],
  },
  {
    possible: () => process.getuid?.() === 0 && existsSync("/usr/bin/apt-get"),
    command: "apt-get",
    steps: [["update"], ["install", "-y", "--no-install-recommends", "chromium"]],
  },
];

/** Whether the browser of the last set-up is still there. */
export const hasBrowser = () =>
  existsSync(record) && existsSync(JSON.parse(readFileSync(record, "utf8")).executablePath);

/** Finds a Chromium for the end-to-end tests, or fetches one, and writes down where it is. */
export async function provideBrowser() {
  let executablePath = findBrowser();
  const failures = [];
  for (const way of ways.filter(({ possible }) => possible())) {
    if (executablePath) break;
    try {
      for (const args of way.steps) {
        await run(way.command, args, {
          timeoutMs: downloadTimeoutMs,
          env: { DEBIAN_FRONTEND: "noninteractive" },
        });
      }
      executablePath = findBrowser();
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      failures.push(error.message);
    }
  }
  if (!executablePath) {
    throw new Error(
      `No Chromium or Chrome was found and none could be fetched.\n${failures.join("\n")}\n` +
        "Install one (Debian: apt-get install chromium), or name one in CHROME_PATH, and run the command again.",
    );
  }
  mkdirSync(cacheDirectory, { recursive: true });
  writeFileSync(record, JSON.stringify({ executablePath }));
}
