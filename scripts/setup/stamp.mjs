import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory, root } from "./paths.mjs";

const stampFile = (name) => join(cacheDirectory, `${name}.stamp`);

/** Every file under `path` (relative to the checkout), sorted; `[]` when there is none. */
function filesUnder(path) {
  const absolute = join(root, path);
  if (!existsSync(absolute)) return [];
  if (statSync(absolute).isFile()) return [path];
  return readdirSync(absolute)
    .sort()
    .flatMap((name) => filesUnder(`${path}/${name}`));
}

/**
 * A digest of files and folders by name and content, and of further texts.
 * @param {string[]} paths relative to the checkout; absent ones count as empty
 * @param {string[]} [texts]
 */
export function digestOf(paths, texts = []) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesUnder)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  for (const text of texts) hash.update(`${text}\0`);
  return hash.digest("hex");
}

/** Whether the step `name` was last finished with exactly this digest. */
export function isStamped(name, digest) {
  return existsSync(stampFile(name)) && readFileSync(stampFile(name), "utf8") === digest;
}

/** Remembers that the step `name` is finished with this digest. */
export function stamp(name, digest) {
  mkdirSync(cacheDirectory, { recursive: true });
  writeFileSync(stampFile(name), digest);
}
