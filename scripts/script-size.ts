// npm run size: the compressed script that each page of the console needs, largest first; fails above the bound.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { contentCodings } from "../src/server/http/content-coding.ts";

/** Compressed bytes of script that a page may need before it can be used. Next and React alone are 119,000. */
export const scriptBytesMax = 200_000;

const build = join(import.meta.dirname, "../.next");
const text = (path: string): string => readFileSync(join(build, path), "utf8");

/** The scripts a route's document names, as Next writes them down for itself: layouts, page and what breaks with them. */
export function scriptsOf(route: string): string[] {
  const manifest = text(`server/app${route}_client-reference-manifest.js`);
  const assigned = manifest.slice(manifest.indexOf("] = ") + 4).replace(/;?\s*$/, "");
  const { entryJSFiles } = JSON.parse(assigned) as { entryJSFiles: Record<string, string[]> };
  const needed = Object.entries(entryJSFiles).filter(([entry]) => !entry.endsWith("/global-error"));
  const { rootMainFiles: first } = JSON.parse(text("build-manifest.json")) as { rootMainFiles: string[] };
  return [...new Set([...first, ...needed.flatMap(([, files]) => files)])];
}

/** The bytes that are sent for a script. Small ones are not compressed. */
function sentBytesOf(script: string): number {
  const file = join(build, decodeURIComponent(script));
  const [best] = contentCodings;
  return statSync(existsSync(file + best.extension) ? file + best.extension : file).size;
}

/** The bytes of a route's scripts, as a browser that accepts Brotli gets them. */
export const bytesOf = (route: string): number =>
  scriptsOf(route).reduce((sum, script) => sum + sentBytesOf(script), 0);

/** The routes of all pages, such as `/(console)/keys/page`. */
export const pageRoutes = (): string[] =>
  Object.keys(JSON.parse(text("app-path-routes-manifest.json"))).filter(
    (route) => route.endsWith("/page") && !route.startsWith("/_"),
  );

if (import.meta.main) {
  const rows = pageRoutes()
    .map((route) => [bytesOf(route), route.replace(/\/page$/, "/")] as const)
    .sort(([one], [other]) => other - one);
  for (const [bytes, route] of rows) console.log(`${(bytes / 1000).toFixed(1).padStart(7)} kB  ${route}`);
  const above = rows.filter(([bytes]) => bytes >= scriptBytesMax);
  console.log(`\n${above.length} of ${rows.length} pages need ${scriptBytesMax / 1000} kB or more.`);
  process.exitCode = above.length > 0 ? 1 : 0;
}
