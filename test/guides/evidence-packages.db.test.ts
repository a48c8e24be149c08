import { expect, test, vi } from "vitest";
import type { EvidencePackage } from "#contract/evidence-package.ts";
import { createOrganisation, generationRow, insertGenerations } from "#test/factories.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const { origin, services } = await startTestServer();
const organisation = await createOrganisation(services.database);
await services.refreshSnapshot();

test("docs/guides/evidence-packages.md: its commands build a package of the month and download it", async () => {
  const blocks = codeBlocks(readDocument("docs/guides/evidence-packages.md"), "sh");
  const [created, status, downloaded, ...more] = blocks;
  expect(more).toEqual([]);
  const times = ["2026-10-02T12:00:00.000Z", "2026-11-02T12:00:00.000Z"];
  await insertGenerations(
    services.database,
    times.map((started_at) => generationRow(organisation, "0.1", { started_at })),
  );
  const run = (block = "", variables: Record<string, string> = {}) => {
    const [curl = ""] = block.replace("curl -s ", "curl ").split(" > ");
    return runCurl(curl, origin, { PORTOLAN_API_KEY: organisation.key, ...variables });
  };
  const packageOf = async (response: Response) => ((await response.json()) as { data: EvidencePackage }).data;
  const { id } = await packageOf(await run(created));
  const { file_name, requests } = await vi.waitFor(async () => {
    const now = await packageOf(await run(status, { PACKAGE_ID: id }));
    expect(now.status).toBe("ready");
    return now;
  }, 10_000);
  expect([file_name, requests]).toEqual(["evidence-2026-10-01-2026-11-01.zip", 1]);
  const file = await run(downloaded, { PACKAGE_ID: id });
  expect(Buffer.from(await file.arrayBuffer()).toString("latin1", 0, 2)).toBe("PK");
});
