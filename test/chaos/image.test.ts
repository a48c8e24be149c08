import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commandOf, copiesOf, environmentOf, stagesOf } from "./dockerfile.ts";
import { freePort } from "./installation.ts";
import { shownIn } from "./killed-start.ts";

const repository = join(import.meta.dirname, "../..");
const [build = [], runtime = []] = stagesOf(join(repository, "Dockerfile"));
const scratch = mkdtempSync(join(tmpdir(), "portolan-image-"));
const stage = join(scratch, "build");
const image = join(scratch, "app");
const data = join(scratch, "data");
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const sh = (command: string, cwd: string) =>
  execFileSync("sh", ["-ec", command], { cwd, stdio: ["ignore", "pipe", "pipe"] });

/**
 * There is no Docker here: the steps of the Dockerfile are done in folders. What the first RUN installs and builds is
 * taken from this checkout, by links; the steps after it only delete.
 */
beforeAll(() => {
  const steps = build.filter(({ name }) => name === "RUN").map(({ text: step }) => step);
  expect(steps[0]).toBe("node scripts/setup.mjs --build");
  mkdirSync(stage);
  for (const made of [
    ".next",
    ".server",
    "src",
    "scripts",
    "prisma",
    "docs",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "package.json",
    "next.config.mjs",
  ])
    sh(`cp -al "${join(repository, made)}" "${stage}/"`, scratch);
  // Packages only: servers of other tests write into the caches beside them at the same time.
  mkdirSync(join(stage, "node_modules"));
  for (const made of ["[!.]*", ".bin", ".package-lock.json"])
    sh(`cp -al "${join(repository, "node_modules")}"/${made} "${stage}/node_modules/"`, scratch);
  // npm rewrites these in place: through a link it would rewrite those of the checkout.
  for (const file of ["node_modules/.package-lock.json", "package.json", "package-lock.json"]) {
    rmSync(join(stage, file), { force: true });
    copyFileSync(join(repository, file), join(stage, file));
  }
  for (const step of steps.slice(1)) sh(step, stage);
  for (const { from, to } of copiesOf(runtime))
    for (const path of from) {
      const target = from.length > 1 ? join(image, to, path) : join(image, to);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(stage, path), target, { recursive: true, verbatimSymlinks: true });
    }
}, 180_000);

function run(command: readonly string[], env: Record<string, string> = {}) {
  const [program = "", ...args] = command;
  const child = spawn(program === "node" ? process.execPath : program, args, {
    cwd: image,
    env: {
      NODE_ENV: "production",
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      ...environmentOf(runtime),
      DATA_DIR: data,
      LOG_LEVEL: "error",
      EXCHANGE_RATES_URL: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]).then((outputs) => outputs.join(""));
  return { child, said, ended: once(child, "exit").then(([code]) => code as number | null) };
}

async function runToEnd(command: readonly string[], env?: Record<string, string>) {
  const { ended, said } = run(command, env);
  return { code: await ended, said: await said };
}

/** Waits for a start; if the process ends, its output is reported. */
const untilServing = ({ ended, said }: ReturnType<typeof run>, check: () => Promise<void>) =>
  Promise.race([
    vi.waitFor(check, { timeout: 90_000, interval: 200 }),
    ended.then(async (code) => {
      throw new Error(`It ended with ${code}:\n${await said}`);
    }),
  ]);

test("the image serves, is found healthy, runs its commands, and stops on request", async () => {
  const env = { PORT: String(await freePort()), HOST: "127.0.0.1" };
  const origin = `http://127.0.0.1:${env.PORT}`;
  const serving = run(commandOf(runtime, "CMD"), env);
  const health = commandOf(runtime, "HEALTHCHECK");
  await untilServing(serving, async () => expect((await runToEnd(health, env)).code).toBe(0));
  expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
  expect((await fetch(`${origin}/sign-in`)).status).toBe(200);
  expect((await fetch(`${origin}/docs`)).status).toBe(200);
  serving.child.kill("SIGTERM");
  expect(await serving.ended).toBe(0);
  const shown = shownIn(await serving.said);
  expect((await runToEnd(health, env)).code).toBe(1);

  // Over the volume it left, each command with its own line of package.json.
  const audited = await runToEnd(["npm", "run", "audit:money"]);
  expect(audited.said).toMatch(/^holds {3}/m);
  expect(audited.code).toBe(0);
  const verified = await runToEnd(["npm", "run", "audit:verify"]);
  expect(verified.said).toMatch(/rows of 1 organisations verified/);
  expect(verified.code).toBe(0);
  for (const name of ["secrets:purge", "secrets:forget"]) {
    const purged = await runToEnd(["npm", "run", name]);
    expect(purged.said).toContain("nothing is lost");
    expect(purged.code).toBe(0);
  }

  const again = run(["npm", "start"], env);
  await untilServing(again, async () => expect((await fetch(`${origin}/health/ready`)).status).toBe(200));
  const asked = await runToEnd(["npm", "run", "cli", "--", "keys", "list"], {
    PORTOLAN_URL: origin,
    PORTOLAN_API_KEY: shown?.key ?? "",
  });
  expect(asked.said).toContain("First key");
  expect(asked.code).toBe(0);
  again.child.kill("SIGTERM");
  await again.ended;
}, 240_000);

test("what is only needed to build is not in it", () => {
  const size = Number(sh(`du -sm "${image}" | cut -f1`, scratch).toString());
  console.log(`The image's own layers have ${size} MB`);
  expect(size).toBeLessThan(400);
  const unwanted = ["@next/swc-*", "playwright*", "vitest", "@prisma/schema-engine-wasm"];
  const named = unwanted.map((name) => `-path "*/node_modules/${name}"`).join(" -o ");
  const found = sh(`find "${image}" \\( -name '*.map' -o ${named} \\) | head -5`, scratch);
  expect(found.toString()).toBe("");
});
