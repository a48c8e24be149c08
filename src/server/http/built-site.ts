import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What a build of the console holds: whatever else is asked for is not there. */
export interface BuiltSite {
  /** Paths of pages, such as `/keys`. */
  readonly pages: ReadonlySet<string>;
  /** Paths of files that never change, such as `/_next/static/chunks/x.js`. */
  readonly files: ReadonlySet<string>;
}

const Routes = z.record(z.string(), z.string());

/** Reads what Next built into `directory` (`.next`). */
export function readBuiltSite(directory: string): BuiltSite {
  const routes = Routes.parse(
    JSON.parse(readFileSync(join(directory, "app-path-routes-manifest.json"), "utf8")),
  );
  const files = readdirSync(join(directory, "static"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .replaceAll("\\", "/"),
    );
  return {
    // Names with an underscore are Next's own pages for failures, which nobody asks for by address.
    pages: new Set(Object.values(routes).filter((path) => !path.startsWith("/_"))),
    files: new Set(files.map((file) => encodeURI(`/_next/${file}`))),
  };
}
