import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { responseIdOf } from "#server/inference/operations/responses/response-object.ts";
import { limits } from "#server/platform/limits.ts";
import { until } from "#test/until.ts";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

/** Statements that read a response's events or state. */
const asked: string[] = [];
const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [statement] = args;
  const text = typeof statement === "string" ? statement : (statement as { text?: string }).text;
  if (/^select.*stored_response/is.test(text ?? "")) asked.push(text ?? "");
  return query.apply(this, args);
} as typeof pg.Client.prototype.query;

const server = await startTestServer({ overlay: faultyModels({ slow: { fr: "slow:100" } }) });
const { eventsPollMs } = limits.responses;
/** A look is two statements: how the response stands, and its events. */
const perLook = 2;

const long = { model: "test/slow", input: "Count.", max_output_tokens: 400, background: true, stream: true };

let leaving: AbortController;
// The first job put in waits for the queue to know its kinds.
beforeAll(() =>
  until(async () =>
    expect((await server.post("/responses", { ...long, max_output_tokens: 1 })).status).toBe(200),
  ),
);
beforeEach(() => {
  leaving = new AbortController();
});
afterEach(() => leaving.abort());

/** Reads until it is given up. Says how many bytes came. */
async function read(response: Response, heard: { bytes: number }): Promise<void> {
  try {
    for await (const bytes of response.body ?? []) heard.bytes += bytes.length;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
}

/** Begins a response, which goes on for forty seconds, and follows it many times. */
async function follow(count: number): Promise<{ bytes: number }[]> {
  const begun = await server.post("/responses", long, { signal: leaving.signal });
  const id = responseIdOf(begun.headers.get("x-generation-id") ?? "");
  const streams = [begun];
  for (let more = 1; more < count; more++)
    streams.push(await server.send("GET", `/responses/${id}?stream=true`, { signal: leaving.signal }));
  expect(streams.map(({ status }) => status)).toEqual(Array(count).fill(200));
  return streams.map((stream) => {
    const heard = { bytes: 0 };
    void read(stream, heard);
    return heard;
  });
}

test("ten who follow a response cost the database as much as one", async () => {
  const heard = await follow(10);
  await until(() => expect(heard.every(({ bytes }) => bytes > 2_000)).toBe(true));
  const before = asked.length;
  const windowMs = 8 * eventsPollMs;
  await pause(windowMs);
  const looks = (asked.length - before) / perLook;
  expect(looks).toBeGreaterThan(1);
  // The response's own worker asks now and then whether it was cancelled.
  expect(looks).toBeLessThan((windowMs / eventsPollMs) * 2);
});

test("once all have left, the database gets no more reads, although the response continues", async () => {
  const heard = await follow(10);
  await until(() => expect(heard.every(({ bytes }) => bytes > 1_000)).toBe(true));
  leaving.abort();
  const cancelledAsked = /select.*"status".*limit/is;
  const ofFollowers = () => asked.filter((text) => !cancelledAsked.test(text)).length;
  await until(async () => {
    const before = ofFollowers();
    await pause(3 * eventsPollMs);
    expect(ofFollowers()).toBe(before);
  });
  const { stored_response } = server.services.database.prisma;
  expect(await stored_response.count({ where: { status: "in_progress" } })).toBeGreaterThan(0);
});
