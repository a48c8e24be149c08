import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { startRecorder } from "#test/destinations/recorder.ts";
import type { Scene } from "#test/dialects/dialect.ts";
import { dialects } from "#test/dialects/index.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const scene: Scene = {
  text: ["Hello"],
  reasoning: [],
  call: null,
  usage: { prompt: 10, cacheRead: 0, completion: 2, reasoning: 0 },
};

/** A listener that nobody has any business with, and how many connections it got. */
async function startSentinel(host: string) {
  const sentinel = { connections: 0, port: 0 };
  const server = createServer((socket) => {
    sentinel.connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  sentinel.port = (server.address() as AddressInfo).port;
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return sentinel;
}

/** A provider that answers every request with a chat, and keeps the bytes of what it was asked. */
async function startRawUpstream() {
  const heads: string[] = [];
  const body = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  });
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      heads.push(text.slice(0, end));
      text = text.slice(end + 4 + length);
      socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { heads, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const [sentinel4, sentinel6] = [await startSentinel("127.0.0.1"), await startSentinel("::1")];
const upstreams = await Promise.all(
  dialects.map(async (dialect) => {
    const upstream = await startUpstream();
    afterAll(() => upstream.close());
    const { type, body } = dialect.complete(scene);
    upstream.answer = (response) => response.writeHead(200, { "content-type": type }).end(body);
    return { ...dialect, upstream, slug: dialect.kind.replace("openai-compatible", "plain") };
  }),
);
const raw = await startRawUpstream();
const price = { currency: "EUR", input: "1", output: "1" };
const server = await startTestServer({
  overlay: {
    providers: [
      ...upstreams.map(({ kind, slug, basePath, upstream }) => ({
        slug: `t-${slug}`,
        name: slug,
        kind,
        base_url: upstream.origin + basePath,
        apis: ["chat"],
      })),
      { slug: "t-raw", name: "Raw", base_url: `${raw.origin}/v1`, apis: ["chat"] },
    ],
    models: [
      ...upstreams.map(({ slug }) => ({
        id: `t/${slug}`,
        input_modalities: ["text", "image", "file"],
      })),
      { id: "t/raw" },
    ],
    endpoints: [
      ...upstreams.map(({ slug }) => ({
        provider: `t-${slug}`,
        model: `t/${slug}`,
        upstream_model: "theirs",
        price,
      })),
      { provider: "t-raw", model: "t/raw", upstream_model: "theirs", price },
    ],
  },
  settings: {
    // Were anything fetched, the guard would not be what stops it.
    ALLOW_PRIVATE_HOSTS: "127.0.0.1,::1,localhost",
    ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
    T_RAW_API_KEY: "raw-credential",
    ...Object.fromEntries(
      upstreams.map(({ slug, credential }) => [`T_${slug.toUpperCase()}_API_KEY`, credential]),
    ),
  },
});
const ours = await newOrganisation(server);

test("of 200 prompts with addresses of images and files, over every kind of provider, none is fetched", {
  timeout: 120_000,
}, async () => {
  const places = [
    `http://127.0.0.1:${sentinel4.port}/a.png`,
    `http://localhost:${sentinel4.port}/a.pdf`,
    `http://[::1]:${sentinel6.port}/a.png`,
    `http://2130706433:${sentinel4.port}/a.png`,
    `ftp://127.0.0.1:${sentinel4.port}/a.png`,
  ];
  const parts = (url: string) => [
    { type: "image_url", image_url: { url } },
    { type: "image_url", image_url: { url, detail: "high" } },
    { type: "file", file: { filename: "a.pdf", file_data: url } },
  ];
  const items = (url: string) => [
    { type: "input_image", image_url: url },
    { type: "input_file", filename: "a.pdf", file_url: url },
    { type: "input_file", filename: "a.pdf", file_data: url },
  ];
  const statuses: number[] = [];
  const ask = async (path: string, body: object) => {
    const response = await server.post(path, body, { key: ours.key });
    await response.arrayBuffer();
    statuses.push(response.status);
  };
  const text = { type: "text", text: "What is this?" };
  for (const { slug } of upstreams) {
    const model = `t/${slug}`;
    for (const url of places) {
      for (const part of parts(url))
        await ask("/chat/completions", { model, messages: [{ role: "user", content: [text, part] }] });
      for (const part of items(url))
        await ask("/responses", { model, input: [{ role: "user", content: [part] }] });
    }
  }
  expect(statuses.length).toBeGreaterThanOrEqual(200);
  // Accepted, or refused as not supported by this provider; never an internal error.
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  const passedOn = upstreams
    .flatMap(({ upstream }) => upstream.received)
    .map(({ body }) => JSON.stringify(body));
  expect(passedOn.filter((body) => places.some((place) => body.includes(place))).length).toBeGreaterThan(50);
  expect([sentinel4.connections, sentinel6.connections]).toEqual([0, 0]);
  console.log(
    `${statuses.length} prompts, ${statuses.filter((status) => status === 200).length} served, ` +
      `${passedOn.length} sent to providers, 0 connections to where they point`,
  );
});

const evil = "x\r\nx-evil: 1\r\n\r\nGET /evil HTTP/1.1\r\nx-evil: 2";

test("nothing in a request can add a header at the provider (raw bytes)", async () => {
  const chat = { model: "t/raw", messages: [{ role: "user", content: "Hi" }] };
  const ask = async (body: object, headers: Record<string, string> = {}) => {
    const response = await server.post("/chat/completions", { ...chat, ...body }, { key: ours.key, headers });
    await response.arrayBuffer();
    return response.status;
  };
  expect(await ask({})).toBe(200);
  const namesOf = (head: string) =>
    head
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(":")[0]?.toLowerCase())
      .sort();
  const plain = namesOf(raw.heads[0] ?? "");
  const hostile: [object, Record<string, string>?][] = [
    [{ user: evil }],
    [{ session_id: evil }],
    [{ metadata: { [evil]: evil, plain: evil } }],
    [{ trace: { trace_id: evil, span_name: evil, generation_name: evil, parent_span_id: evil } }],
    [{ messages: [{ role: "user", content: evil, name: evil }] }],
    [{ stop: [evil] }],
    [{ headers: { "x-evil": "1" }, extra_headers: { "x-evil": "1" }, api_key: evil, api_base: evil }],
    [{ model: `t/raw${evil}` }],
    [{ provider: { only: [evil] } }],
    [{}, { "x-request-id": "abc%0d%0ax-evil: 1", "x-evil": "1" }],
    [{}, { "x-session-id": "abc\tx-evil: 1", cookie: "x-evil=1", "proxy-authorization": "x-evil" }],
    [{}, { "http-referer": "https://a.example/%0d%0ax-evil", "x-title": "x-evil: 1", via: "1.1 x-evil" }],
    [{}, { "x-forwarded-for": "1.2.3.4", "openai-organization": "x-evil", "x-api-key-extra": "x-evil" }],
    [{}, { "idempotency-key": "x-evil:1" }],
  ];
  const statuses: number[] = [];
  for (const [body, headers] of hostile) statuses.push(await ask(body, headers));
  // Served, refused, or (503) without a provider of that name: never a fault.
  expect(statuses.filter((status) => status === 500 || status === 502)).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(6);
  for (const head of raw.heads) {
    expect(namesOf(head)).toEqual(plain);
    expect(head).not.toMatch(/evil/);
  }
  console.log(
    `${hostile.length} hostile requests, ${raw.heads.length - 1} passed on, 0 headers of their making`,
  );
});

test("headers of the connection, of proxies and of clouds, and values with two lines, are refused for a destination", async () => {
  const sink = await startRecorder();
  const create = (headers: object) =>
    server.post(
      "/broadcast-destinations",
      { type: "webhook", name: "Sink", config: { url: sink.origin, headers } },
      { key: ours.key },
    );
  const names = [
    "Host",
    "content-length",
    "Transfer-Encoding",
    "connection",
    "Cookie",
    "Proxy-Authorization",
  ];
  const more = [
    "Forwarded",
    "X-Forwarded-For",
    "Metadata-Flavor",
    "X-aws-ec2-metadata-token",
    "webhook-id",
    "a b",
  ];
  for (const name of [...names, ...more, evil]) expect((await create({ [name]: "1" })).status).toBe(400);
  for (const value of [evil, "a\nb", "a\0b", "ü", "x".repeat(4097)])
    expect((await create({ "x-own": value })).status).toBe(400);
  expect(sink.seen).toEqual([]);
});
