import { readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { Problem } from "./command.ts";

/** Variables with another name are not sent: a proposed file could name any secret of the CI job. */
export const secretPrefix = "PORTOLAN_SECRET_";

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads a text file, with a problem that names it if that fails. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** Hidden parts include `..`. Hidden files beside the configuration are often secrets of other programs: `.git/config`. */
const isBeside = (path: string): boolean =>
  !isAbsolute(path) && path.split(sep).every((part) => !part.startsWith("."));

function fileValue(name: string, configuration: string): string {
  const directory = realPath(dirname(configuration));
  const refused = new Problem(
    `file:${name} is not read: must be a path in the directory of ${configuration}, without hidden parts such as .. or .git`,
  );
  if (!isBeside(join(name))) throw refused;
  // Where links lead counts as well.
  const path = realPath(join(directory, name));
  if (!isBeside(relative(directory, path))) throw refused;
  return readText(path).trim();
}

/**
 * The value of a secret: a variable of the environment, or a file in the directory of the configuration. Undefined if
 * the variable is not set. Everything else is refused, because who proposes a file must not choose what is read.
 */
export function secretOf(
  reference: string,
  configuration: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [, scheme, name = ""] = /^(env|file):(.*)$/s.exec(reference) ?? [];
  if (scheme === "file") return fileValue(name, configuration);
  if (scheme !== "env" || !name.startsWith(secretPrefix))
    throw new Problem(`${reference} is not read: the name of the variable must start with ${secretPrefix}`);
  return environment[name];
}
