import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDirectory } from "./project.ts";

interface Package {
  readonly version: string;
}

/** This program's version, from package.json. */
export const { version } = JSON.parse(
  readFileSync(join(projectDirectory, "package.json"), "utf8"),
) as Package;
