import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Database } from "#server/db/index.ts";
import { writePackage } from "#server/evidence/package/write-package.ts";
import { limits } from "#server/platform/limits.ts";
import { createLogSigner } from "#server/transparency/index.ts";

/** How long an evidence package of all requests of an organisation takes, and what it costs the process meanwhile. */
export async function buildLargePackage(
  database: Database,
  orgId: string,
  period: { readonly from: string; readonly to: string },
): Promise<string> {
  const signer = createLogSigner([randomBytes(32)]);
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  const before = process.memoryUsage.rss();
  let [bytes, highest] = [0, before];
  const sinceMs = performance.now();
  stalls.enable();
  const requests = await writePackage(
    { database, adequacyOff: new Set(), log: { database, signer } },
    {
      ...{ orgId, filter: period, bounds: limits.evidencePackages.bounds },
      write: async (piece) => {
        bytes += piece.length;
        highest = Math.max(highest, process.memoryUsage.rss());
      },
      onProgress: () => Promise.resolve(),
    },
  );
  stalls.disable();
  const seconds = (performance.now() - sinceMs) / 1000;
  const mib = (count: number) => (count / 2 ** 20).toFixed(0);
  return [
    `A package of ${requests} requests in ${seconds.toFixed(1)} s, ${mib(bytes)} MiB`,
    `memory +${mib(highest - before)} MiB, event loop p99 ${(stalls.percentile(99) / 1e6).toFixed(0)} ms, longest ${(stalls.max / 1e6).toFixed(0)} ms`,
  ].join("; ");
}
