import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

const driver = fileURLToPath(new URL("drive-paced.ts", import.meta.url));
const execute = promisify(execFile);

/** What the reader of paced streams has to do. */
export const PacedOrder = z.object({
  url: z.url(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  streams: z.int().positive(),
  pieces: z.int().positive(),
});
export type PacedOrder = z.infer<typeof PacedOrder>;

/** Times between pieces as the reader saw them, over all streams. `wrong` holds up to three that were incomplete. */
export const PacedResult = z.object({
  gaps: z.int(),
  p50_ms: z.number(),
  p99_ms: z.number(),
  max_ms: z.number(),
  over_120_ms: z.int(),
  wrong: z.array(z.string()),
});
export type PacedResult = z.infer<typeof PacedResult>;

/** Runs the reader in its own process and resolves when the last stream has ended. */
export async function pacedLoad(order: PacedOrder): Promise<PacedResult> {
  const { stdout } = await execute(process.execPath, [driver, JSON.stringify(order)], { timeout: 120_000 });
  return PacedResult.parse(JSON.parse(stdout));
}
