import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { type Entry, entries } from "./body-entries.ts";
import { type Expensive, expensiveBodies } from "./expensive-bodies.ts";
import { watch } from "./gateway-process.ts";
import { startWatched } from "./watched-installation.ts";

/** `npm run test:bodies` sends every body there is, and more of them at full size. */
const long = process.env.BODIES === "long";
/**
 * Nobody is held up for longer. What is measured beyond is measured again, and counts at last when the thread itself
 * has computed for so long: the machine has other work too, which delays all there is.
 */
const delayMsMax = 250;
/** Others are answered within this while a body is dealt with. */
const othersMsMax = 3_000;
const attemptsMax = 4;
const errorBytesMax = 64 * 1024;
/**
 * The memory in use after the last body, in parts of what was in use after the first ones. The system's view may grow
 * more: the allocator keeps the pages that the largest bodies needed.
 */
const liveGrowthMax = 1.2;
const rssGrowthMax = 1.6;
/** After this time without requests a process has returned memory to the system, so that less growth is allowed. */
const idleMs = (limits.memory.idleChecksMin + 1) * limits.memory.checkEveryMs;
const idleGrowthMax = 1.2;
const mib = 1024 * 1024;
/** How many bodies of each entry are sent, valid and not, how many of them at full size, and how large the others may be. */
const sent = long ? Number.POSITIVE_INFINITY : 4;
const fullSized = long ? 40 : 2;
const usualBytes = long ? mib : mib / 4;

const { gateway, credentials } = await startWatched();
const origin = new URL(gateway.origin);
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** Its beginning. */
  readonly begin: string;
}

let clients = 0;

function send(method: string, path: string, headers: Record<string, string>, body?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({
      agent,
      host: origin.hostname,
      port: origin.port,
      method,
      path,
      headers: {
        origin: gateway.origin,
        "content-type": "application/json",
        // Attempts to sign in are counted by address.
        "x-forwarded-for": `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients++ & 255}`,
        ...(body && { "content-length": String(body.length) }),
        ...headers,
      },
    });
    asking.on("response", (response) => {
      let bytes = 0;
      let begin = "";
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (begin.length < 500) begin += chunk.toString("utf8", 0, 500);
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, bytes, begin }));
      response.on("error", reject);
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

function ask(entry: Entry, text: string): Promise<Answer> {
  const { method, path, by, byQuery } = entry;
  if (byQuery) return send(method, `${path}?input=${encodeURIComponent(text)}`, credentials[by]);
  return send(method, path, credentials[by], Buffer.from(text));
}

/** Another client with constant small requests; reports the longest wait since the last report. */
function startOthers() {
  const body = Buffer.from(
    '{"model":"test/chat","messages":[{"role":"user","content":"Hello"}],"max_tokens":1}',
  );
  let longestMs = 0;
  let ended = false;
  const asking = (async () => {
    while (!ended) {
      const startedMs = performance.now();
      const { status, begin } = await send("POST", "/api/v1/chat/completions", credentials.key, body);
      if (status !== 200) throw new Error(`Somebody else was answered ${status}: ${begin}`);
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      await pause(25);
    }
  })();
  return {
    longestMs() {
      const longest = longestMs;
      longestMs = 0;
      return longest;
    },
    async end() {
      ended = true;
      await asking;
    },
  };
}

interface Measured extends Answer {
  readonly delayMs: number;
  readonly turnMs: number;
  readonly othersMs: number;
}

type Others = ReturnType<typeof startOthers>;

async function measure(entry: Entry, text: string, others: Others): Promise<Measured> {
  await watch(gateway.child, "begin");
  others.longestMs();
  const answer = await ask(entry, text);
  const { delayMs, turnMs } = await watch(gateway.child, "read");
  return { ...answer, delayMs, turnMs, othersMs: others.longestMs() };
}

const isQuick = ({ delayMs, othersMs }: Measured) => delayMs <= delayMsMax && othersMs <= othersMsMax;
const isQuickEnough = ({ turnMs, othersMs }: Measured) => turnMs <= delayMsMax && othersMs <= othersMsMax;

/** The best of some attempts: what holds others up does so each time. */
async function measured(entry: Entry, { text }: Expensive, others: Others): Promise<Measured> {
  const body = text();
  let best = await measure(entry, body, others);
  for (let attempt = 1; attempt < attemptsMax && !isQuick(best); attempt++) {
    const again = await measure(entry, body, others);
    best = {
      ...again,
      delayMs: Math.min(best.delayMs, again.delayMs),
      turnMs: Math.min(best.turnMs, again.turnMs),
      othersMs: Math.min(best.othersMs, again.othersMs),
    };
  }
  return best;
}

/** So many of a list, evenly from its beginning to its end. */
const some = <T>(list: readonly T[], count: number): T[] => {
  const step = Math.max(1, list.length / count);
  return Array.from({ length: Math.min(count, list.length) }, (_, at) => list[Math.floor(at * step)] as T);
};

/** What is sent to an entry, valid and not: each body in a small size, and some in the greatest. */
function bodiesFor({ bases, bounds, schema }: Entry): Expensive[] {
  const ofSize = (bytes: number, count: number) => {
    const bodies = bases.flatMap((base) => expensiveBodies(schema, base, { ...bounds, bytes }));
    return [true, false].flatMap((isValid) =>
      some(
        bodies.filter((body) => body.isValid === isValid),
        count,
      ),
    );
  };
  if (bounds.bytesMax <= usualBytes) return ofSize(bounds.bytesMax, sent);
  return [...ofSize(usualBytes, sent), ...ofSize(bounds.bytesMax, fullSized)];
}

interface Worst {
  readonly entry: string;
  readonly body: string;
  readonly delayMs: number;
  readonly turnMs: number;
  readonly othersMs: number;
}
const all: Worst[] = [];
const statuses = new Map<number, string[]>();
const others = startOthers();
let first = { rss: 0, liveBytes: 0 };

test("the first bodies fill the memory that is reserved for them", { timeout: 120_000 }, async () => {
  for (const entry of entries.filter(({ by }) => by === "key").slice(0, 6)) {
    const bodies = expensiveBodies(entry.schema, entry.bases[0] ?? {}, {
      ...entry.bounds,
      bytes: entry.bounds.bytesMax,
    });
    for (const { text } of some(
      bodies.filter(({ name }) => name.includes("text")),
      4,
    ))
      await ask(entry, text());
  }
  for (const entry of entries) await ask(entry, JSON.stringify(entry.bases[0] ?? {}));
  first = await watch(gateway.child, "collect");
});

describe.each(entries)("$name", (entry) => {
  test("no body is answered with a fault, or holds others up", { timeout: 1_800_000 }, async () => {
    const bodies = bodiesFor(entry);
    for (const body of bodies) {
      const result = await measured(entry, body, others);
      const { status, bytes, delayMs, turnMs, othersMs } = result;
      statuses.set(status, [...(statuses.get(status) ?? []), `${entry.name}: ${body.name}`]);
      all.push({ entry: entry.name, body: body.name, delayMs, turnMs, othersMs });
      expect({ body: body.name, status }).toEqual({
        body: body.name,
        status: expect.not.toBeOneOf([0, 500]),
      });
      if (status >= 400)
        expect({ body: body.name, bytes }).toEqual({
          body: body.name,
          bytes: expect.toSatisfy((sent: number) => sent <= errorBytesMax),
        });
      expect({ body: body.name, ...result, quick: isQuickEnough(result) }).toMatchObject({ quick: true });
    }
    expect(bodies.length).toBeGreaterThan(0);
  });
});

test("memory is as it was", { timeout: 120_000 }, async () => {
  await others.end();
  let rss = Number.POSITIVE_INFINITY;
  let liveBytes = Number.POSITIVE_INFINITY;
  const hasGrown = () => rss > first.rss * rssGrowthMax || liveBytes > first.liveBytes * liveGrowthMax;
  let growthMax = rssGrowthMax;
  for (const waitMs of [...Array<number>(20).fill(500), idleMs]) {
    if (!hasGrown()) break;
    // Asking it for its memory keeps the process busy, so the last time nobody asks until it has been idle.
    if (waitMs === idleMs) growthMax = idleGrowthMax;
    await pause(waitMs);
    const now = await watch(gateway.child, "collect");
    rss = Math.min(rss, now.rss);
    liveBytes = Math.min(liveBytes, now.liveBytes);
  }
  const worst = (by: (one: Worst) => number) => all.toSorted((a, b) => by(b) - by(a)).slice(0, 5);
  console.log(
    JSON.stringify(
      {
        bodies: all.length,
        statuses: Object.fromEntries([...statuses].map(([status, names]) => [status, names.length])),
        overloaded: [429, 502, 503].flatMap((status) => statuses.get(status) ?? []).slice(0, 20),
        rssMb: [Math.round(first.rss / mib), Math.round(rss / mib)],
        liveMb: [Math.round(first.liveBytes / mib), Math.round(liveBytes / mib)],
        longestDelays: worst(({ delayMs }) => delayMs),
        longestTurns: worst(({ turnMs }) => turnMs),
        longestWaitsOfOthers: worst(({ othersMs }) => othersMs),
      },
      null,
      1,
    ),
  );
  expect(liveBytes).toBeLessThan(first.liveBytes * liveGrowthMax);
  expect(rss).toBeLessThan(first.rss * growthMax);
  expect(gateway.child.exitCode).toBeNull();
});
