import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "@playwright/test";

const build = join(import.meta.dirname, "../../.next");
const bytesMax = 250_000;

const json = (path: string) => JSON.parse(readFileSync(join(build, path), "utf8"));

/** The scripts a route's document names, as Next writes them down for itself: layouts, page and what breaks with them. */
function scriptsOf(route: string): string[] {
  const text = readFileSync(join(build, `server/app${route}_client-reference-manifest.js`), "utf8");
  const assigned = text.slice(text.indexOf("] = ") + 4).replace(/;?\s*$/, "");
  const { entryJSFiles } = JSON.parse(assigned) as { entryJSFiles: Record<string, string[]> };
  const needed = Object.entries(entryJSFiles).filter(([entry]) => !entry.endsWith("/global-error"));
  return [
    ...new Set([...json("build-manifest.json").rootMainFiles, ...needed.flatMap(([, files]) => files)]),
  ];
}

const compressed = (script: string): number =>
  gzipSync(readFileSync(join(build, decodeURIComponent(script)))).length;

const routes = Object.keys(json("app-path-routes-manifest.json")).filter(
  (route) => route.endsWith("/page") && !route.startsWith("/_"),
);

for (const route of routes) {
  test(`${route.replace(/\/page$/, "/")} needs less than 250 kB of compressed script to be there`, () => {
    const scripts = scriptsOf(route);
    // A build that is laid out otherwise must not pass by having nothing in it.
    expect(scripts.length).toBeGreaterThan(5);
    const bytes = scripts.reduce((sum, script) => sum + compressed(script), 0);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(bytesMax);
  });
}
