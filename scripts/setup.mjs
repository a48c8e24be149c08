// Brings a checkout from "just cloned" to "ready", on any Node from 20 on and with nothing installed.
// Each step is skipped within milliseconds when nothing is to do.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { hasBrowser, provideBrowser } from "./setup/browser.mjs";
import { install, installDigest, isInstalled } from "./setup/install.mjs";
import { withSetupLock } from "./setup/lock.mjs";
import { binDirectory, isPrepared, pinnedNode, root } from "./setup/paths.mjs";
import { run, withProgress } from "./setup/run.mjs";
import { digestOf, isStamped, stamp } from "./setup/stamp.mjs";

const present = (path) => existsSync(join(root, path));
const tool = (name) => join(binDirectory, name);

/**
 * In order. `digest` names what the step depends on, `present` what it leaves behind, `needed` who wants it.
 * @typedef {{ tests?: boolean, production?: boolean }} Needs
 */
const steps = [
  {
    name: "install",
    title: "Installing packages (the first time takes a minute)",
    needed: () => true,
    digest: installDigest,
    present: isInstalled,
    work: install,
  },
  {
    name: "generate",
    title: "Generating the database client",
    needed: () => present("prisma/schema"),
    digest: () => digestOf(["prisma/schema", "prisma.config.ts", "package-lock.json"]),
    present: () => present("src/generated/prisma"),
    work: () =>
      run(tool("prisma"), ["generate"], { advice: "correct prisma/schema and run npm run generate." }),
  },
  {
    name: "build",
    title: "Building the console",
    needed: ({ production }) => production && present("next.config.mjs"),
    digest: () =>
      digestOf([
        "src/app",
        "src/contract",
        "next.config.mjs",
        "tsconfig.json",
        "tsconfig.next.json",
        "package-lock.json",
        "scripts/compress-site.ts",
        "src/server/http/content-coding.ts",
      ]),
    present: () => present(".next/BUILD_ID"),
    work: async () => {
      await run(tool("next"), ["build"], {
        env: { NODE_ENV: "production" },
        advice: "correct what the compiler names and run npm run build.",
      });
      await run(pinnedNode, ["scripts/compress-site.ts"]);
    },
  },
  {
    name: "bundle",
    title: "Bundling the server",
    needed: ({ production }) => production,
    digest: () =>
      digestOf(["src/server", "src/contract", "prisma/schema", "scripts/bundle.mjs", "package-lock.json"]),
    present: () => present(".server/main.mjs"),
    work: () =>
      run(pinnedNode, ["scripts/bundle.mjs"], {
        advice: "correct what the bundler names and run npm run build.",
      }),
  },
  {
    name: "browser",
    title: "Looking for a browser for the end-to-end tests",
    needed: ({ tests }) => tests,
    digest: () => "",
    present: hasBrowser,
    work: provideBrowser,
  },
];

const isDone = (step) => step.present() && isStamped(step.name, step.digest());

/**
 * Runs every step that `needs` asks for and that is not done yet.
 * @param {Needs} needs
 */
export async function setUp(needs) {
  if (isPrepared) return;
  const wanted = steps.filter((step) => step.needed(needs));
  if (wanted.every(isDone)) return;
  await withSetupLock(async () => {
    for (const step of wanted) {
      if (isDone(step)) continue;
      await withProgress(step.title, step.work);
      // The digest is taken afterwards: npm may have completed the lock file.
      stamp(step.name, step.digest());
    }
  });
}

/** As `setUp`, but ends the process with a readable message when a step fails. */
export async function setUpOrExit(needs) {
  const major = Number(process.versions.node.split(".")[0]);
  try {
    if (major < 20) throw new Error(`Node 20 or newer is needed to begin; this is ${process.version}.`);
    await setUp(needs);
  } catch (error) {
    console.error(`\n✖ ${error.name === "StepFailed" ? error.message : (error.stack ?? error)}`);
    process.exit(1);
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  await setUpOrExit({ tests: argv.includes("--tests"), production: argv.includes("--build") });
}
