import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isCompressedForm } from "./site-files.ts";

/** The contents of a build of the console: everything else is not found. */
export interface BuiltSite {
  /** Paths of pages, such as `/keys`. */
  readonly pages: ReadonlySet<string>;
  /** Paths of immutable files, such as `/_next/static/chunks/x.js`. */
  readonly files: ReadonlySet<string>;
}

const Routes = z.record(z.string(), z.string());

/** Reads Next's build in `directory` (`.next`). `documents` are the pages that one page of Next shows. */
export function readBuiltSite(directory: string, documents: readonly string[]): BuiltSite {
  const routes = Routes.parse(
    JSON.parse(readFileSync(join(directory, "app-path-routes-manifest.json"), "utf8")),
  );
  const files = readdirSync(join(directory, "static"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isCompressedForm(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .replaceAll("\\", "/"),
    );
  return {
    // Names with an underscore are Next's own error pages, which are not requested by address.
    pages: new Set([...Object.values(routes).filter((path) => !/^\/_|\[/.test(path)), ...documents]),
    files: new Set(files.map((file) => encodeURI(`/_next/${file}`))),
  };
}
