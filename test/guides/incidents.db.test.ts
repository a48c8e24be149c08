import { expect, test } from "vitest";
import { DataFlowReport, DataFlowRequests } from "#contract/data-flows.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { createOrganisation, generationRow, insertGenerations } from "#test/factories.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const { origin, services } = await startTestServer();
const organisation = await createOrganisation(services.database);
await services.refreshSnapshot();

test("docs/guides/incidents.md: its commands report the requests that the provider received", async () => {
  const commands = codeBlocks(readDocument("docs/guides/incidents.md"), "sh");
  expect(commands).toHaveLength(2);
  const row = generationRow(organisation, "0.1", {
    ...{
      provider: "sandbox-fr",
      endpoint: "sandbox-fr:sandbox/chat",
      started_at: "2026-11-04T12:00:00.000Z",
    },
    ...{ attempts: null, attempt_ms: 7, user_reference: "ada@example.eu" },
  });
  const later = { ...row, id: generationRow(organisation).id, started_at: isoTime(clock.nowMs()) };
  await insertGenerations(services.database, [row, later]);
  const [report, requests] = await Promise.all(
    commands.map(async (command) => {
      const [curl = ""] = command.replace("curl -s ", "curl ").split(" > ");
      return (await runCurl(curl, origin, { PORTOLAN_API_KEY: organisation.key })).json();
    }),
  );
  expect(DataFlowReport.parse(report)).toMatchObject({
    requests: 1,
    recipients: [{ provider: "sandbox-fr", requests: 1, answered: 1 }],
    end_users: { data: [{ end_user: "ada@example.eu", requests: 1 }] },
  });
  expect(DataFlowRequests.parse(requests)).toMatchObject({ data: [{ id: row.id }], next: null });
});
