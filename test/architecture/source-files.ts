import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const source = /\.(ts|tsx|mjs|cjs|css)$/;

/** Every source file under `folder`, generated ones and data apart. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => source.test(path) && !path.startsWith("src/generated/"))
    .map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }));
}

/** The text with comments replaced by blanks, with the same lines: for rules about code. */
export const withoutComments = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|[\s;,({])\/\/.*$/gm, "$1");

/** Only the comments, with the same lines: for rules about prose. */
export const commentsOf = (text: string): string =>
  [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|[\s;,({])\/\/.*$/gm)].map(([comment]) => comment).join("\n");

/** Every file that is tracked or about to be. */
export const repositoryFiles = (): string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(repository, path)));

/** The documentation in the repository. */
export const documents = (): SourceFile[] =>
  repositoryFiles()
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }));
