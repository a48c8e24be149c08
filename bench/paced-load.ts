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

/** A longer pause between two pieces is a stall. */
export const stallMs = 100;

/**
 * As the reader saw it, over all streams: milliseconds from the request to the first piece, and between pieces.
 * `wrong` holds up to three streams that were incomplete.
 */
export const PacedResult = z.object({
  first_p50_ms: z.number(),
  first_p99_ms: z.number(),
  gaps: z.int(),
  p50_ms: z.number(),
  p99_ms: z.number(),
  max_ms: z.number(),
  stalls: z.int(),
  wrong: z.array(z.string()),
});
export type PacedResult = z.infer<typeof PacedResult>;

/** Runs the reader in its own process and resolves when the last stream has ended. */
export async function pacedLoad(order: PacedOrder): Promise<PacedResult> {
  const { stdout } = await execute(process.execPath, [driver, JSON.stringify(order)], { timeout: 180_000 });
  return PacedResult.parse(JSON.parse(stdout));
}
