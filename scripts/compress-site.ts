// Part of `npm run build`: stores the files of the console compressed, beside themselves, as browsers accept them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { contentCodings } from "../src/server/http/content-coding.ts";
import { isCompressedByBuild } from "../src/server/http/site-files.ts";
import { limits } from "../src/server/platform/limits.ts";

const compress = {
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
};

const directory = join(import.meta.dirname, "../.next/static");
const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && isCompressedByBuild(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

await Promise.all(
  files.flatMap((file) => {
    const content = readFileSync(file);
    if (content.length < limits.pages.compressedFromBytes) return [];
    return contentCodings.map(async ({ name, extension }) => {
      const compressed = await compress[name](content);
      if (compressed.length < content.length) writeFileSync(file + extension, compressed);
    });
  }),
);
