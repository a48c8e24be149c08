import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const driver = fileURLToPath(new URL("drive.ts", import.meta.url));
const execute = promisify(execFile);

/** What the driver has to do. */
export const LoadOrder = z.object({
  url: z.url(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  mode: z.enum(["complete", "stream"]),
  connections: z.int().positive(),
  seconds: z.number().positive(),
});
export type LoadOrder = z.infer<typeof LoadOrder>;

/** What the driver saw. `wrong` holds up to three answers that were not 200 or had a wrong body. */
export const LoadResult = z.object({
  requests: z.int(),
  requests_per_second: z.number(),
  p50_ms: z.number(),
  p99_ms: z.number(),
  wrong: z.array(z.string()),
});
export type LoadResult = z.infer<typeof LoadResult>;

/** Runs the driver in its own process and resolves when the last answer is in. */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const { stdout } = await execute(process.execPath, [driver, JSON.stringify(order)]);
  return LoadResult.parse(JSON.parse(stdout));
}
