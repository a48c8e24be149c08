import { expect, test } from "vitest";
import { EvidencePackage } from "#contract/evidence-package.ts";
import { createOrganisation, generationRow, insertGenerations } from "#test/factories.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const { origin, services } = await startTestServer();
const organisation = await createOrganisation(services.database);
await services.refreshSnapshot();

test("docs/guides/evidence-packages.md: its command builds a package of the month", async () => {
  const [block = "", ...more] = codeBlocks(readDocument("docs/guides/evidence-packages.md"), "sh");
  expect(more).toEqual([]);
  const times = ["2026-10-02T12:00:00.000Z", "2026-11-02T12:00:00.000Z"];
  await insertGenerations(
    services.database,
    times.map((started_at) => generationRow(organisation, "0.1", { started_at })),
  );
  const [curl = ""] = block.replace("curl -s ", "curl ").split(" > ");
  const answer = await runCurl(curl, origin, { PORTOLAN_API_KEY: organisation.key });
  const { file_name, requests, content } = EvidencePackage.parse(await answer.json());
  expect([file_name, requests]).toEqual(["evidence-2026-10-01-2026-11-01.zip", 1]);
  expect(Buffer.from(content, "base64").toString("latin1", 0, 2)).toBe("PK");
});
