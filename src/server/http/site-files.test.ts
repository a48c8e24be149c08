import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { siteFiles } from "./site-files.ts";

const directory = mkdtempSync(join(tmpdir(), "portolan-site-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
mkdirSync(join(directory, "static/chunks"), { recursive: true });
writeFileSync(join(directory, "static/chunks/[id] x.js"), "let a = 1;");
writeFileSync(join(directory, "static/a.unknown"), "?");
const text = "let b = 2;".repeat(200);
writeFileSync(join(directory, "static/b.js"), text);
writeFileSync(join(directory, "static/b.js.br"), brotliCompressSync(text));
writeFileSync(join(directory, "static/b.js.gz"), gzipSync(text));
const read = siteFiles(directory);

test("a file is read by its address, with its type, and may be cached for ever", async () => {
  const { status, headers, body } = await read("/_next/static/chunks/%5Bid%5D%20x.js?v=1", {});
  expect([status, Buffer.from(body).toString()]).toEqual([200, "let a = 1;"]);
  expect(headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  });
  expect((await read("/_next/static/a.unknown", {})).headers).toMatchObject({
    "content-type": "application/octet-stream",
  });
});

test("a file is read in the best form that the client accepts", async () => {
  for (const [accepted, coding, plain] of [
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
    ["identity", undefined, Buffer.from],
  ] as const) {
    const { headers, body } = await read("/_next/static/b.js", { "accept-encoding": accepted });
    expect([headers["content-encoding"], plain(Buffer.from(body)).toString()]).toEqual([coding, text]);
    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  }
  const { headers } = await read("/_next/static/a.unknown", { "accept-encoding": "br" });
  expect(headers["content-encoding"]).toBeUndefined();
});

test("what a browser has already is not sent again", async () => {
  const { headers } = await read("/_next/static/a.unknown", {});
  for (const known of [headers.etag, `"other", ${headers.etag}`, "*"])
    expect(await read("/_next/static/a.unknown", { "if-none-match": String(known) })).toMatchObject({
      status: 304,
      body: { length: 0 },
    });
  expect(await read("/_next/static/a.unknown", { "if-none-match": '"other"' })).toMatchObject({
    status: 200,
  });
});
