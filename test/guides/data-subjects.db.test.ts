import { expect, test, vi } from "vitest";
import { type Erasure, SubjectExport } from "#contract/data-subjects.ts";
import { startTestServer } from "#test/process/server.ts";
import { codeBlocks, readDocument, runCurl } from "./guide.ts";

const { origin, key, post, send, services } = await startTestServer();

test("docs/guides/data-subjects.md: its commands export, count, erase and hold what is stored about an end user", async () => {
  const commands = codeBlocks(readDocument("docs/guides/data-subjects.md"), "sh");
  const [exported, counted, erased, held, released, ...more] = commands;
  expect(more).toEqual([]);
  const run = (command = "", variables: Record<string, string> = {}) => {
    const [curl = ""] = command.replace("curl -s ", "curl ").split(" > ");
    return runCurl(curl, origin, { PORTOLAN_API_KEY: key, ...variables });
  };
  const done = async (command?: string) => {
    const { data } = (await (await run(command)).json()) as { data: Erasure };
    return vi.waitFor(async () => {
      const { data: now } = (await (await send("GET", `/erasures/${data.id}`)).json()) as { data: Erasure };
      expect(now.status).toBe("done");
      return now;
    }, 10_000);
  };
  const asked = { model: "sandbox/chat", input: "Hello", max_output_tokens: 4, user: "ada" };
  expect((await post("/responses", asked)).status).toBe(200);
  await services.responses.responseSpool.flushed();
  await services.billing.drain();

  const { data } = SubjectExport.parse(await (await run(exported)).json());
  expect(JSON.stringify(data.map(({ content }) => content))).toContain("Hello");
  expect(await done(counted)).toMatchObject({
    dry_run: true,
    reference: "Case 17",
    counts: { stored_responses: 1 },
  });
  expect(await done(erased)).toMatchObject({ dry_run: false, counts: { stored_responses: 1 } });
  expect(SubjectExport.parse(await (await run(exported)).json()).data).toEqual([]);

  const { data: hold } = (await (await run(held)).json()) as { data: { id: string } };
  const erasure = { end_user: "grace", dry_run: false };
  expect((await post("/erasures", erasure)).status).toBe(409);
  expect((await run(released, { HOLD_ID: hold.id })).status).toBe(200);
  expect((await post("/erasures", erasure)).status).toBe(201);
});
