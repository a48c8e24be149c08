import { readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { accepts, contentCodings, isCompressible } from "./content-coding.ts";
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

const typeOf = (file: string): string => types[extname(file)] ?? "application/octet-stream";

/** Whether the build stores a file compressed too (`scripts/compress-site.ts`). */
export const isCompressedByBuild = (file: string): boolean => isCompressible(typeOf(file));

/** Whether a file is a compressed form of another one, which is requested by the address of that one. */
export const isCompressedForm = (file: string): boolean =>
  contentCodings.some(({ extension }) => extname(file) === extension);

const oneYearSeconds = 31_536_000;

/**
 * Reads files of a build in `directory` (`.next`) by their addresses, such as `/_next/static/chunks/x.js`, which the
 * caller has found in the build, in the best form that the client accepts and the build has. They never change,
 * because their names contain a digest.
 */
export function siteFiles(directory: string): Render {
  const forms = new Set(
    readdirSync(join(directory, "static"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isCompressedForm(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return async (target, asked) => {
    const [address = ""] = target.split("?");
    const file = join(directory, decodeURI(address).slice("/_next/".length));
    const coding = contentCodings.find(
      (one) => forms.has(file + one.extension) && accepts(asked["accept-encoding"], one),
    );
    const { size, mtimeMs } = await stat(file);
    const headers = {
      "content-type": typeOf(file),
      "cache-control": `public, max-age=${oneYearSeconds}, immutable`,
      etag: `W/"${size.toString(16)}-${Math.floor(mtimeMs).toString(16)}"`,
    };
    const known = asked["if-none-match"]?.split(",").map((tag) => tag.trim());
    if (known?.includes(headers.etag) || known?.includes("*"))
      return { status: 304, headers, body: new Uint8Array() };
    if (coding === undefined) return { status: 200, headers, body: await readFile(file) };
    return {
      status: 200,
      headers: { ...headers, "content-encoding": coding.name },
      body: await readFile(file + coding.extension),
    };
  };
}
