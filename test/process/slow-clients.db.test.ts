import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  const http = {
    ...limits.http,
    headersTimeoutMs: 300,
    bodyTimeoutMs: 300,
    timeoutCheckMs: 50,
    lingerMs: 200,
  };
  return { limits: { ...limits, http } };
});

const server = await startTestServer({ overlay: faultyModels({ slow: { fr: "slow:300" } }) });
const post = (path: string, ...headers: string[]) =>
  [`POST /api/v1${path} HTTP/1.1`, "host: x", `authorization: Bearer ${server.key}`, ...headers].join("\r\n");

/** All the server says to these bytes, and to nothing more, until it ends the connection. */
async function answerTo(...sent: string[]): Promise<string> {
  const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
  await once(socket, "connect");
  for (const bytes of sent) socket.write(bytes);
  return text(socket);
}

/** What comes until a connection ends, whichever way. */
async function restOf(socket: Socket): Promise<string> {
  socket.on("error", () => {});
  let rest = "";
  socket.on("data", (bytes) => {
    rest += bytes;
  });
  await once(socket, "close");
  return rest;
}

function expectEnvelope(answer: string, status: number, code: string): void {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} \\w`));
  expect(head).toMatch(/^connection: close$/im);
  expect(head).toMatch(/^content-type: application\/json/im);
  const { error, requestId } = ErrorEnvelope.parse(JSON.parse(body));
  expect([error.code, error.metadata.status]).toEqual([code, status]);
  expect(requestId).toBe(/^x-request-id: (\S+)$/im.exec(head)?.[1]);
}

test.each(["/completions", "/keys", "/auth/keys"])(
  "a body that %s waits for in vain is a 408 that ends the connection",
  async (path) => {
    const answer = await answerTo(`${post(path, "content-length: 20")}\r\n\r\n{"model":`);
    expectEnvelope(answer, 408, "REQUEST_TIMEOUT");
  },
);

test("a body that comes within the time is answered, and the next request on its connection as well", async () => {
  const complete = `${post("/completions", "content-length: 2")}\r\n\r\n{}`;
  const last = `${post("/completions", "content-length: 2", "connection: close")}\r\n\r\n{}`;
  expect((await answerTo(complete, last)).match(/HTTP\/1.1 400/g)).toHaveLength(2);
});

test("headers that come too slowly are a 408", async () => {
  expectEnvelope(await answerTo(post("/completions")), 408, "REQUEST_TIMEOUT");
});

test("headers that are too long are a 431", async () => {
  const long = `x-long: ${"x".repeat(limits.http.headerBytesMax)}`;
  expectEnvelope(await answerTo(post("/completions", long)), 431, "BAD_REQUEST");
});

test("what is no HTTP is a 400", async () => {
  expectEnvelope(await answerTo("Hello there\r\n\r\n"), 400, "BAD_REQUEST");
});

test("what is no HTTP behind a request whose answer is under way adds nothing to that answer", async () => {
  const asked = JSON.stringify({ model: "test/slow", prompt: "x", stream: true, max_tokens: 5 });
  const streamed = `${post("/completions", `content-length: ${asked.length}`)}\r\n\r\n${asked}`;
  const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
  socket.write(streamed);
  await once(socket, "data");
  socket.write("Hello there\r\n\r\n");
  expect(await restOf(socket)).not.toContain("HTTP/1.1");
});

test("nor does it behind another request that waits for that answer", async () => {
  const asked = JSON.stringify({ model: "test/slow", prompt: "x", stream: true, max_tokens: 5 });
  const streamed = `${post("/completions", `content-length: ${asked.length}`)}\r\n\r\n${asked}`;
  const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
  socket.write(`${streamed}GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, "data");
  socket.write("Hello there\r\n\r\n");
  expect(await restOf(socket)).not.toContain("HTTP/1.1");
});

test("requests sent without waiting are answered in their order, one after the other", async () => {
  const bad = `${post("/completions", "content-length: 2")}\r\n\r\n{}`;
  const alive = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";
  const last = "GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  const answers = await answerTo(bad + alive + bad + alive.repeat(50) + last);
  const statuses = answers.match(/(?<=HTTP\/1\.1 )\d+/g);
  expect(statuses).toEqual(["400", "200", "400", ...Array(51).fill("200")]);
});
