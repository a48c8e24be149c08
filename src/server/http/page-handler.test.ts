import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { silentLog } from "#server/platform/log.ts";
import { PageCache } from "./page-cache.ts";
import { createPageHandler } from "./page-handler.ts";
import { headersOfPages } from "./page-headers.ts";
import type { Render, Rendered } from "./page-renderer.ts";
import { filled, newMarks, templateOf } from "./page-template.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const nonceIn = (policy: string | null | undefined): string =>
  /'nonce-([\w-]+)'/.exec(policy ?? "")?.[1] ?? "";

/** Like Next: the policy's nonce on every script, and the request's id in the text. */
const html = (target: string, headers: Readonly<Record<string, string>>): Rendered => ({
  status: target === "/_not-found" ? 404 : 200,
  headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  body: Buffer.from(
    `<p id="${headers["x-request-id"]}">${target} ${headers.rsc ?? ""}</p>${`<script nonce="${nonceIn(headers["content-security-policy"])}"></script>`.repeat(40)}`,
  ),
});

/** So long that it would be compressed once more, if that were not refused. */
const manyWords = Array.from({ length: 2_000 }, (_, at) => ((at * 7_919) % 65_521).toString(36)).join(" ");

/** A server for pages only. */
async function servePages(render: Render, admit = async (_kind: string) => {}) {
  const seen: Parameters<Render>[] = [];
  const sent: string[] = [];
  const handler = createPageHandler({
    site: {
      pages: new Set(["/", "/keys"]),
      files: new Set(["/_next/static/a.js", "/_next/static/packed.js"]),
    },
    pages: new PageCache((...call) => {
      seen.push(call);
      return render(...call);
    }),
    async readFile(target, headers) {
      sent.push(JSON.stringify(headers));
      const body = Buffer.from(`${target};`.repeat(200));
      const type = { "content-type": "text/javascript" };
      return target.endsWith("/packed.js")
        ? { status: 200, headers: { ...type, "content-encoding": "br" }, body: brotliCompressSync(manyWords) }
        : { status: 200, headers: type, body };
    },
    admit: (_req, kind) => admit(kind),
    headersOf: headersOfPages({ PUBLIC_URL: "https://router.example" }, false),
    log: silentLog,
  });
  const server = createServer((req, res) => void handler(req, res)).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path: string, init: RequestInit = {}) => fetch(origin + path, { redirect: "manual", ...init });
  return { get, seen, sent };
}

describe("a page", () => {
  test("is rendered once for simultaneous requests, and each answer has its own nonce", async () => {
    const { get, seen } = await servePages(async (...call) => html(...call));
    const answers = await Promise.all(Array.from({ length: 20 }, () => get("/keys")));
    const nonces = answers.map(({ headers }) => nonceIn(headers.get("content-security-policy")));
    expect(new Set(nonces).size).toBe(20);
    for (const [at, answer] of answers.entries()) {
      const text = await answer.text();
      expect(text.match(/nonce="[^"]+"/g)).toEqual(Array(40).fill(`nonce="${nonces[at]}"`));
      expect(text).toContain(`id="${answer.headers.get("x-request-id")}"`);
    }
    expect(seen).toHaveLength(1);
  });

  test("is rendered again after a failure", async () => {
    const render = vi.fn<Render>(async (...call) => html(...call));
    render
      .mockRejectedValueOnce(new Error("no"))
      .mockResolvedValueOnce({ status: 500, headers: {}, body: Buffer.from("") });
    const { get } = await servePages(render);
    expect((await get("/keys")).status).toBe(500);
    expect((await get("/keys")).status).toBe(500);
    expect((await get("/keys")).status).toBe(200);
  });

  test("with a query, or for a navigation, is another page", async () => {
    const { get, seen } = await servePages(async (...call) => html(...call));
    for (const path of ["/keys", "/keys?q=1", "/keys?q=1?2", "/keys?q=2"]) await get(path);
    expect(seen.map(([target]) => target)).toEqual(["/keys", "/keys?q=1", "/keys?q=1?2", "/keys?q=2"]);
    const rsc = { rsc: "1", "next-router-prefetch": "1" };
    expect(await (await get("/keys", { headers: { ...rsc, "next-url": "/a" } })).text()).toContain("/keys 1");
    await get("/keys?_rsc=abc", { headers: { ...rsc, "next-url": "/b" } });
    expect(seen).toHaveLength(5);
    await get("/keys?_rsc=abc&q=1", { headers: rsc });
    await get("/keys?q=1&_rsc=def", { headers: rsc });
    expect(seen).toHaveLength(6);
  });

  test("is rendered from its path, query and navigation only, not from other data of the client", async () => {
    const { get, seen } = await servePages(async (...call) => html(...call));
    const headers = {
      cookie: "session=secret",
      authorization: "Bearer secret",
      "x-middleware-prefetch": "1",
      "x-matched-path": "/other",
      "x-invoke-status": "500",
      "next-action": "1",
      "content-security-policy": "script-src 'nonce-own'",
      "x-forwarded-host": "other.example",
      rsc: "1",
    };
    await get("/keys", { headers });
    expect(Object.keys(seen[0]?.[1] ?? {}).sort()).toEqual([
      "content-security-policy",
      "rsc",
      "x-request-id",
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/secret|own/);
  });

  test("is compressed if the client accepts that, and HEAD returns only its headers", async () => {
    const { get } = await servePages(async (...call) => html(...call));
    const packed = await get("/keys");
    expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual([
      "gzip",
      "accept-encoding",
    ]);
    const plain = await get("/keys", { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    const head = await get("/keys", { method: "HEAD", headers: { "accept-encoding": "identity" } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(plain.headers.get("content-length"));
  });
});

test("every unknown page has the same page, rendered once", async () => {
  const { get, seen } = await servePages(async (...call) => html(...call));
  for (const path of [
    "/a",
    "/b?c",
    "//other.example",
    "/_global-error",
    "/_next/data/x",
    "/_next/static/b.js",
    "/keys/x",
  ]) {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("/_not-found")]);
  }
  expect(seen).toHaveLength(1);
});

test("a trailing slash redirects to the page, on this server", async () => {
  const { get } = await servePages(async (...call) => html(...call));
  const answer = await get("/keys/?next=//other.example");
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "/keys?next=//other.example"]);
});

test.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])("%s of a page is refused", async (method) => {
  const { get, seen } = await servePages(async (...call) => html(...call));
  const answer = await get("/keys", { method });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect(seen).toEqual([]);
});

test("a file gets the headers for files only", async () => {
  const { get, sent } = await servePages(async (...call) => html(...call));
  await get("/_next/static/a.js", {
    headers: { "if-none-match": '"x"', cookie: "a=b", "x-matched-path": "/keys" },
  });
  expect(Object.keys(JSON.parse(sent[0] ?? "")).sort()).toEqual(["accept-encoding", "if-none-match"]);
});

test("pages and files are counted separately, and a part of a page counts as a page if it must be rendered", async () => {
  const kinds: string[] = [];
  const { get } = await servePages(
    async (...call) => html(...call),
    async (kind) => {
      kinds.push(kind);
      if (kinds.length > 7)
        throw new AppError("RATE_LIMIT_EXCEEDED", "Too many", { headers: { "retry-after": "7" } });
    },
  );
  await get("/keys");
  await get("/nothing");
  await get("/_next/static/a.js");
  await get("/keys", { headers: { rsc: "1" } });
  await get("/keys", { headers: { rsc: "1" } });
  await get("/keys", { headers: { rsc: "1" } });
  expect(kinds).toEqual(["page", "page", "file", "file", "page", "file", "file"]);
  const refused = await get("/keys");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
  expect(await refused.text()).toContain("Too many");
});

test("a filled-in template equals the page rendered with the same nonce and request id", () => {
  const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom("nonce", "requestId")));
  fc.assert(
    fc.property(texts, (parts) => {
      const rendered = (marks: ReturnType<typeof newMarks>): Rendered => {
        const text = parts
          .map((part) => (part === "nonce" || part === "requestId" ? marks[part] : part))
          .join("");
        return { status: 200, headers: {}, body: Buffer.from(text) };
      };
      const [made, own] = [newMarks(), newMarks()];
      expect(filled(templateOf(rendered(made), made), own)).toBe(rendered(own).body.toString());
    }),
  );
});

test("a file is sent with its headers, compressed for who accepts that, and without a body to HEAD", async () => {
  const { get } = await servePages(async (...call) => html(...call));
  const text = "/_next/static/a.js;".repeat(200);
  const packed = await get("/_next/static/a.js", { headers: { "accept-encoding": "gzip" } });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(packed.headers.get("vary")).toBe("accept-encoding");
  expect(Number(packed.headers.get("content-length"))).toBeLessThan(text.length / 10);
  expect(await packed.text()).toBe(text);
  const plain = await get("/_next/static/a.js", { headers: { "accept-encoding": "gzip;q=0" } });
  expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
    null,
    "accept-encoding",
  ]);
  expect(plain.headers.get("content-type")).toBe("text/javascript");
  expect(await plain.text()).toBe(text);
  const head = await get("/_next/static/a.js", {
    method: "HEAD",
    headers: { "accept-encoding": "identity" },
  });
  expect(head.headers.get("content-length")).toBe(String(text.length));
  expect(await head.text()).toBe("");
});

test("a file that the build has compressed is sent as it is", async () => {
  const { get } = await servePages(async (...call) => html(...call));
  const packed = await get("/_next/static/packed.js", { headers: { "accept-encoding": "gzip, br" } });
  expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual([
    "br",
    "accept-encoding",
  ]);
  expect(Number(packed.headers.get("content-length"))).toBeGreaterThan(limits.pages.compressedFromBytes);
  expect(await packed.text()).toBe(manyWords);
});
