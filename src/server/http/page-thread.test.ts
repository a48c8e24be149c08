import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test, vi } from "vitest";
import { until } from "#test/until.ts";
import { PageThread } from "./page-thread.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  const pages = { ...limits.pages, renderTimeoutMs: 500, threadStartMs: 5_000, threadIdleMs: 100 };
  return { limits: { ...limits, pages } };
});

/** A thread that answers as Next's does: `/stuck` never, `/fail` with a failure, `/end` by ending. */
const program = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", ({ id, target }) => {
    if (target === "/stuck") for (;;);
    if (target === "/end") process.exit(3);
    if (target === "/fail") return parentPort.postMessage({ id, failure: "no such page" });
    parentPort.postMessage({ id, status: 200, headers: { "content-type": "text/html" }, body: Buffer.from(target) });
  });
  parentPort.postMessage({ id: null });`;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function threadOf(source: string) {
  const started: Worker[] = [];
  const thread = new PageThread({ hostname: "127.0.0.1", port: 1 }, () => {
    const worker = new Worker(source, { eval: true });
    started.push(worker);
    return worker;
  });
  closers.push(() => thread.close());
  const text = async (target: string) => Buffer.from((await thread.render(target, {})).body).toString();
  return { started, text };
}

test("one thread renders all pages, starts with the first and ends when nobody asks any more", async () => {
  const { started, text } = threadOf(program);
  expect(started).toHaveLength(0);
  expect(await Promise.all(["/a", "/b", "/c"].map(text))).toEqual(["/a", "/b", "/c"]);
  expect(started).toHaveLength(1);
  if (started[0]?.threadId !== -1) await once(started[0] as Worker, "exit");
  expect(await text("/d")).toBe("/d");
  expect(started).toHaveLength(2);
});

test("a page that cannot be rendered fails alone", async () => {
  const { started, text } = threadOf(program);
  const [failed, rendered] = await Promise.allSettled([text("/fail"), text("/a")]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "no such page" } });
  expect(rendered).toMatchObject({ value: "/a" });
  expect(started).toHaveLength(1);
});

test("a thread that is stuck is replaced, and its requests can be tried again", async () => {
  const { started, text } = threadOf(program);
  await expect(text("/stuck")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  await until(() => expect(started[0]?.threadId).toBe(-1));
  expect(await text("/a")).toBe("/a");
});

test("a thread that ends or cannot start fails the requests it has, and the next ones get another", async () => {
  const { started, text } = threadOf(program);
  await expect(text("/end")).rejects.toThrow("ended with code 3");
  expect(await text("/a")).toBe("/a");
  expect(started).toHaveLength(2);
  const broken = threadOf("throw new Error('no build')");
  await expect(broken.text("/a")).rejects.toThrow("no build");
  await expect(broken.text("/a")).rejects.toThrow("no build");
  expect(broken.started).toHaveLength(2);
});
