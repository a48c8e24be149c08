import { createHash } from "node:crypto";
import type { Database } from "#server/db/index.ts";
import { limits } from "#server/platform/limits.ts";
import { assertWithin, type PackageBounds } from "./bounds.ts";

interface Stored {
  readonly sizeBytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Stores an archive in pieces, so that it is never in memory as one. */
export interface PartWriter {
  /** Throws BAD_REQUEST if the archive becomes too large. */
  write(bytes: Buffer): Promise<void>;
  /** Stores what is left. */
  end(): Promise<Stored>;
}

/** Writes the parts of one attempt to build a package. */
export function partWriter(
  { prisma }: Database,
  { id: package_id, attempt }: { readonly id: string; readonly attempt: number },
  bounds: PackageBounds,
): PartWriter {
  const { partBytes } = limits.evidencePackages;
  const digest = createHash("sha256");
  let [number, sizeBytes, waitingBytes] = [0, 0, 0];
  let waiting: Buffer[] = [];

  async function store(): Promise<void> {
    const content = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    await prisma.evidence_package_part.create({
      data: { package_id, attempt, number: number++, content: new Uint8Array(content) },
    });
  }

  return {
    async write(bytes) {
      digest.update(bytes);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      sizeBytes += bytes.length;
      assertWithin(bounds, "bytesMax", sizeBytes);
      if (waitingBytes >= partBytes) await store();
    },
    async end() {
      if (waitingBytes > 0) await store();
      return { sizeBytes, sha256: digest.digest("hex") };
    },
  };
}
