import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

const debianDirectory = "/usr/lib/postgresql";

const newestFirst = (a: string, b: string) => Number(b) - Number(a);

/** The folder with `initdb` and `postgres`: the newest of Debian's, else the first in PATH; null without any. */
export function postgresPrograms(): string | null {
  const versions = existsSync(debianDirectory) ? readdirSync(debianDirectory).sort(newestFirst) : [];
  const folders = [
    ...versions.map((version) => join(debianDirectory, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter),
  ];
  return (
    folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name)))) ?? null
  );
}

export const postgresAvailable = (): boolean =>
  Boolean(process.env.TEST_DATABASE_URL) || postgresPrograms() !== null;
