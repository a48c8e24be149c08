import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrate, startEmbedded } from "#server/db/index.ts";
import { silentLog } from "#server/platform/log.ts";
import "./provided.ts";

/** Migrates once; every test file starts its own embedded database from a copy in memory. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const embedded = await startEmbedded(null);
  try {
    await migrate(embedded.connection, silentLog);
    const directory = mkdtempSync(join(tmpdir(), "portolan-image-"));
    const image = join(directory, "migrated.tar");
    writeFileSync(image, await embedded.dump());
    project.provide("testDatabase", { kind: "pglite", image });
    return () => rmSync(directory, { recursive: true, force: true });
  } finally {
    await embedded.close();
  }
}
