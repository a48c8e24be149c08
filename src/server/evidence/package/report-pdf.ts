import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { limits } from "#server/platform/limits.ts";
import { programEnding } from "#server/platform/project.ts";
import type { Report } from "./report.ts";
import type { PdfQuestion } from "./report-pdf-worker.ts";

const { pdfHeapMib, pdfRowsMax, pdfTimeoutMs } = limits.evidencePackages;

/**
 * A report as PDF/A, made on a thread of its own: arranging a long table takes seconds. The same report is the same
 * bytes. Long tables are cut, with a note. Throws if it takes too long.
 */
export async function reportPdf(report: Report, rowsMax: number = pdfRowsMax): Promise<Buffer> {
  const worker = new Worker(new URL(`./report-pdf-worker${programEnding}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: pdfHeapMib },
  });
  try {
    worker.postMessage({ report, rowsMax } satisfies PdfQuestion);
    const [bytes] = await once(worker, "message", { signal: AbortSignal.timeout(pdfTimeoutMs) });
    return Buffer.from(bytes);
  } finally {
    await worker.terminate();
  }
}
