import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Render } from "./page-renderer.ts";

/** Media types of what a build contains. */
const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

const oneYearSeconds = 31_536_000;

/**
 * Reads files of a build in `directory` (`.next`) by their addresses, such as `/_next/static/chunks/x.js`, which the
 * caller has found in the build. They never change, because their names contain a digest.
 */
export const siteFiles =
  (directory: string): Render =>
  async (target, asked) => {
    const [address = ""] = target.split("?");
    const file = join(directory, decodeURI(address).slice("/_next/".length));
    const { size, mtimeMs } = await stat(file);
    const headers = {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "cache-control": `public, max-age=${oneYearSeconds}, immutable`,
      etag: `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`,
    };
    const known = asked["if-none-match"]?.split(",").map((tag) => tag.trim());
    if (known?.includes(headers.etag) || known?.includes("*"))
      return { status: 304, headers, body: new Uint8Array() };
    return { status: 200, headers, body: await readFile(file) };
  };
