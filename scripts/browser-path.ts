import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const record = new URL("../node_modules/.cache/portolan/browser.json", import.meta.url);
const BrowserRecord = z.object({ executablePath: z.string() });

/** The Chromium that set-up found or fetched; undefined before the first `npm test`. */
export function browserPath(): string | undefined {
  if (!existsSync(record)) return undefined;
  return BrowserRecord.parse(JSON.parse(readFileSync(record, "utf8"))).executablePath;
}
