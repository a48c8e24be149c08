import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cacheDirectory } from "./paths.mjs";

const heartbeatMs = 2_000;
const deadAfterMs = 30_000;
const lookAgainMs = 200;

const lock = join(cacheDirectory, "setup.lock");
const takeover = join(cacheDirectory, "setup.lock.takeover");

/** `mkdir` is atomic: of many callers exactly one gets true. */
function made(directory) {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function silentForMs(directory) {
  try {
    return Date.now() - statSync(directory).mtimeMs;
  } catch (error) {
    if (error.code === "ENOENT") return 0;
    throw error;
  }
}

function ownerIsGone() {
  if (silentForMs(lock) > deadAfterMs) return true;
  try {
    const [host, pid] = readFileSync(join(lock, "owner"), "utf8").split(" ");
    if (host !== hostname()) return false;
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    // ESRCH: that process is dead. ENOENT: the owner is just writing, or has just left.
    return error.code === "ESRCH";
  }
}

/** Removes a lock whose owner is gone. Only one process at a time may look, judge and remove. */
function clearStale() {
  if (silentForMs(takeover) > deadAfterMs) rmSync(takeover, { recursive: true, force: true });
  if (!made(takeover)) return;
  try {
    if (ownerIsGone()) rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(takeover, { recursive: true, force: true });
  }
}

/**
 * Runs `work` while no other set-up of this checkout runs. A lock left by a killed process is taken
 * over at once on the same machine, else after 30 s without its heartbeat.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSetupLock(work) {
  mkdirSync(cacheDirectory, { recursive: true });
  for (let reported = false; !made(lock); reported = true) {
    if (!reported) console.error("▸ Another set-up of this checkout is running; waiting for it …");
    clearStale();
    await pause(lookAgainMs);
  }
  writeFileSync(join(lock, "owner"), `${hostname()} ${process.pid}`);
  const heartbeat = setInterval(() => utimesSync(lock, new Date(), new Date()), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(lock, { recursive: true, force: true });
  }
}
