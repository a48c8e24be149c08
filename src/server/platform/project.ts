import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";

function directoryOf(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "package.json"))) return directory;
    if (directory === dirname(directory)) throw new Error(`No package.json in ${start} or above`);
  }
}

/** The directory of the installation. The sources and the bundle of them are at different depths in it. */
export const projectDirectory = directoryOf(import.meta.dirname);

/** How files of programs for threads end: `.ts` in the sources, `.mjs` in the bundle, which has all in one directory. */
export const programEnding = extname(import.meta.filename);

/** Says to Next, which renders pages in this process or thread, where the documents that it shows are. */
export function publishProjectDirectory(): void {
  process.env.PROJECT_DIRECTORY = projectDirectory;
}
