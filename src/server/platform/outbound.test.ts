import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { clock } from "./clock.ts";
import { limits } from "./limits.ts";
import { allowedHosts, Outbound, type OutboundRequest } from "./outbound.ts";

type Answer = (res: ServerResponse) => void;
const answers = new Map<string, Answer>();
let server: Server;
let origin = "";
let outbound: Outbound;

beforeAll(async () => {
  server = createServer((req, res) => {
    req.resume();
    answers.get(req.url ?? "")?.(res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  outbound = new Outbound(allowedHosts(["127.0.0.1"]));
});
afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const send = (path: string, limitsOfRequest: Partial<OutboundRequest> = {}) =>
  outbound.send({
    url: new URL(origin + path),
    method: "POST",
    headers: {},
    body: "{}",
    firstByteTimeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    deadlineMs: clock.monotonicMs() + 10_000,
    ...limitsOfRequest,
  });

/** Milliseconds until `work` fails, and as what. */
async function timeToFail(work: () => Promise<unknown>) {
  const startedMs = clock.monotonicMs();
  const failure = await work().then(
    () => null,
    (error: { failure?: string }) => error.failure,
  );
  return { failure, ms: clock.monotonicMs() - startedMs };
}

/** A busy machine may be late by one turn, never early. */
function expectAbout(ms: number, wanted: number) {
  expect(ms).toBeGreaterThan(wanted * 0.98 - 2);
  expect(ms).toBeLessThan(wanted * 1.1 + 30);
}

test("a long body that waits for its reader is read completely, up to its end", async () => {
  const { bufferedBytesMax } = limits.stream;
  // The end has to come while what was taken makes room again, which depends on how the bytes arrive.
  for (let share = 1; share < 3; share += 0.05) {
    const text = "x".repeat(share * bufferedBytesMax);
    answers.set("/long", (res) => void res.end(`${text}end`));
    const response = await send("/long");
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    const read = await response.text(10 * text.length);
    expect(read.length).toBe(text.length + 3);
    expect(read.endsWith("xend")).toBe(true);
  }
});

describe("time limits", { retry: 2 }, () => {
  beforeAll(() => {
    answers.set("/silent", () => {});
    answers.set("/stops", (res) => {
      res.writeHead(200);
      res.write("first");
    });
    answers.set("/drips", (res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write("."), 20);
      res.on("close", () => clearInterval(timer));
    });
  });

  test.each([100, 250, 500])("no first byte for %i ms", async (limit) => {
    const { failure, ms } = await timeToFail(() => send("/silent", { firstByteTimeoutMs: limit }));
    expect(failure).toBe("timeout");
    expectAbout(ms, limit);
  });

  test.each([100, 250, 500])("nothing more for %i ms", async (limit) => {
    const response = await send("/stops", { idleTimeoutMs: limit });
    const { failure, ms } = await timeToFail(() => response.text(1000));
    expect(failure).toBe("timeout");
    expectAbout(ms, limit);
  });

  test.each([200, 400, 600])("all together %i ms, however steadily it drips", async (limit) => {
    const { failure, ms } = await timeToFail(async () => {
      const response = await send("/drips", { deadlineMs: clock.monotonicMs() + limit });
      for await (const _ of response.batches());
    });
    expect(failure).toBe("timeout");
    expectAbout(ms, limit);
  });

  test("no connection: the first byte's limit counts from the start", async () => {
    // A listener whose queue is full takes no more connections and refuses none.
    const full = createTcpServer();
    await new Promise<void>((resolve) => full.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, resolve));
    const url = new URL(`http://127.0.0.1:${(full.address() as AddressInfo).port}/`);
    const { failure, ms } = await timeToFail(() => send("", { url, firstByteTimeoutMs: 300 }));
    expect(failure).toBe("timeout");
    expectAbout(ms, 300);
    full.close();
  });
});

describe("a body", () => {
  test("that is larger than allowed is refused as soon as that is known", async () => {
    answers.set("/large", (res) => res.end(Buffer.alloc(2_000_000, "x")));
    const response = await send("/large");
    await expect(response.text(1_000_000)).rejects.toMatchObject({ failure: "too_large" });
  });

  test("that is cut off is an error, not a shorter answer", async () => {
    answers.set("/cut", (res) => {
      res.writeHead(200, { "content-length": "100" });
      res.write("half", () => res.destroy());
    });
    const response = await send("/cut");
    await expect(response.text(1000)).rejects.toMatchObject({ failure: "cut" });
  });

  test("is read as it was sent, in pieces or completely", async () => {
    answers.set("/pieces", (res) => {
      res.write("é".slice(0, 1));
      setImmediate(() => res.end("€"));
    });
    expect(await (await send("/pieces")).text(1000)).toBe("é€");
    const batches = await Array.fromAsync((await send("/pieces")).batches());
    expect(Buffer.concat(batches.flat()).toString()).toBe("é€");
  });

  test("is read no further ahead than the buffer, and all of it once it is wanted", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const total = 32 * 1024 * 1024;
    let written = 0;
    answers.set("/endless", (res) => {
      const more = () => {
        while (written < total) {
          written += piece.length;
          if (!res.write(piece)) return void res.once("drain", more);
        }
        res.end();
      };
      more();
    });
    const batches = (await send("/endless")).batches();
    const bytesOf = (batch: readonly Buffer[]) => batch.reduce((sum, { length }) => sum + length, 0);
    let read = bytesOf((await batches.next()).value ?? []);
    let last = -1;
    await vi.waitFor(
      () => {
        const moved = written !== last;
        last = written;
        expect(moved).toBe(false);
      },
      { interval: 100, timeout: 10_000 },
    );
    // Beside our buffer there are those of two sockets, which the system sizes.
    expect(last - read).toBeLessThan(total / 2 + limits.stream.bufferedBytesMax);
    for await (const batch of batches) read += bytesOf(batch);
    expect(read).toBe(total);
  });
});

describe("giving up", () => {
  /** Resolves when the upstream's side of the next request to `path` is closed. */
  function closed(path: string, begin: Answer = () => {}): Promise<void> {
    return new Promise((resolve) => {
      answers.set(path, (res) => {
        begin(res);
        res.on("close", resolve);
      });
    });
  }

  test("before the first byte closes the connection", async () => {
    const leaving = new AbortController();
    const gone = closed("/waits", () => leaving.abort());
    await expect(send("/waits", { signal: leaving.signal })).rejects.toMatchObject({ failure: "aborted" });
    await gone;
  });

  test("before it was sent sends nothing", async () => {
    const asked = vi.fn();
    answers.set("/never", asked);
    await expect(send("/never", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      failure: "aborted",
    });
    expect(asked).not.toHaveBeenCalled();
  });

  test("by signal in the middle of a body closes the connection", async () => {
    const gone = closed("/middle", (res) => res.write("first"));
    const leaving = new AbortController();
    const batches = (await send("/middle", { signal: leaving.signal })).batches();
    await batches.next();
    leaving.abort();
    await expect(batches.next()).rejects.toMatchObject({ failure: "aborted" });
    await gone;
  });

  test("by not reading on closes the connection", async () => {
    const gone = closed("/left", (res) => res.write("first"));
    for await (const _ of (await send("/left")).batches()) break;
    await gone;
  });
});

describe("a body of which the rest does not matter", () => {
  const sockets = new Set<unknown>();
  const closed = vi.fn();

  /** The provider's side of an exchange that was released when the rest of its body had not been sent. */
  async function released(options: Partial<OutboundRequest> = {}): Promise<ServerResponse> {
    const { promise: answered, resolve } = Promise.withResolvers<ServerResponse>();
    answers.set("/rest", (res) => {
      if (!sockets.has(res.socket)) res.socket?.once("close", closed);
      sockets.add(res.socket);
      res.write("last");
      resolve(res);
    });
    const response = await send("/rest", options);
    await response.batches().next();
    response.release();
    return answered;
  }

  beforeEach(() => {
    sockets.clear();
    closed.mockClear();
  });

  test("leaves its connection to later requests if it ends soon, whatever its client does", async () => {
    for (let at = 0; at < 10; at++) {
      const leaving = new AbortController();
      const provider = await released({ signal: leaving.signal, idleTimeoutMs: 1 });
      leaving.abort();
      await new Promise((resolve) => setTimeout(resolve, 2 * limits.upstream.timeCheckMs));
      await new Promise<void>((resolve) => provider.end("more", resolve));
    }
    // The next request may be sent before the end of the one before has been read.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  test("is closed if it goes on for too long", async () => {
    const startedMs = clock.monotonicMs();
    await released();
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), { timeout: 5_000 });
    expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(limits.upstream.release.waitMs * 0.98);
  });

  test("is closed at once if it brings too much", async () => {
    const startedMs = clock.monotonicMs();
    (await released()).write(Buffer.alloc(limits.upstream.release.bytesMax + 1));
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), { timeout: 5_000 });
    expect(clock.monotonicMs() - startedMs).toBeLessThan(limits.upstream.release.waitMs * 0.9);
  });
});
