import { expect, test } from "vitest";
import { GenerationReceipt } from "#contract/transparency-log.ts";
import { verifyFile } from "../../scripts/verify.mjs";
import { chat, startBroadcasting } from "./broadcasting.ts";

const { server, ours, create, ask, finished } = await startBroadcasting();

async function receiptOf(id: string): Promise<GenerationReceipt> {
  await server.services.billing.drain();
  await server.services.transparency.sequencer.run();
  const response = await server.send("GET", `/generations/${id}/receipt`, { key: ours.key });
  return GenerationReceipt.parse(await response.json());
}

interface Recorded {
  readonly destinations?: readonly object[];
}
const recordOf = ({ record }: GenerationReceipt): Recorded => JSON.parse(record);

test("a receipt proves which destinations were handed the request, with what, and where they store it", async () => {
  const open = await create({ name: "Open", residency: "eu" });
  const discreet = await create({ name: "Discreet", privacy_mode: true });
  const searching = await create({
    name: "Searching",
    filter_rules: {
      groups: [{ logic: "and", rules: [{ field: "input", operator: "regex", value: "riv.r" }] }],
    },
  });
  const others = { groups: [{ rules: [{ field: "model", operator: "equals", value: "other" }] }] };
  await create({ name: "Others", filter_rules: others });
  const id = await ask(chat);
  await finished(open, 1);
  const receipt = await receiptOf(id);
  const { destinations } = recordOf(receipt);
  expect(destinations).toHaveLength(3);
  expect(destinations).toEqual(
    expect.arrayContaining([
      { content: "sent", id: open, residency: "eu" },
      { content: "private", id: discreet, residency: null },
      { certain: false, content: "sent", id: searching, residency: null },
    ]),
  );
  expect(receipt.today.destinations.map(({ name }) => name).sort()).toEqual([
    "Discreet",
    "Open",
    "Searching",
  ]);
  const lines = verifyFile(receipt, { keys: receipt.public_keys });
  expect(lines).toContain(
    `  a trace with prompt and answer was handed to: destination ${open}, stores in: eu`,
  );
  const changed = { ...receipt, record: receipt.record.replace(open, discreet) };
  expect(() => verifyFile(changed, { keys: receipt.public_keys })).toThrow(/^The entry is not in the log/);
});

test("a receipt says until when record, prompt and answer are stored here", async () => {
  const id = await ask({ model: "sandbox/chat", input: "Why?", store: true });
  await server.services.responses.responseSpool.flushed();
  const { today } = await receiptOf(id);
  expect(today).toMatchObject({ destinations: [], record_until: null });
  expect(Date.parse(today.content_until ?? "")).toBeGreaterThan(Date.now());
  expect((await receiptOf(await ask({ ...chat }))).today.content_until).toBeNull();
});

test("a request without destinations does not name any", async () => {
  expect(recordOf(await receiptOf(await ask(chat))).destinations).toBeUndefined();
});

test("a receipt names the legal entity that the organisation stated, with its source", async () => {
  const legal = { slug: "sandbox-fr", legal_entity: "Sandbox France SAS" };
  const stated = await server.post(
    "/catalogue-entries",
    { providers: [legal], source: "Contract 12", as_of: "2026-11-01" },
    { key: ours.key },
  );
  expect(stated.status, await stated.clone().text()).toBe(201);
  const id = await ask({ ...chat, provider: { only: ["sandbox-fr"] } });
  const receipt = await receiptOf(id);
  expect(JSON.parse(receipt.facts[0] ?? "").provider.legal_entity).toEqual({
    ...{ value: "Sandbox France SAS", as_of: "2026-11-01", confidence: "high", expires_at: null },
    sources: [{ title: "Contract 12", url: null }],
  });
  expect(verifyFile(receipt, { keys: receipt.public_keys })).toContain(
    '      legal entity: "Sandbox France SAS" (2026-11-01, Contract 12)',
  );
  const published = await (await server.send("GET", "/providers", { key: ours.key })).text();
  expect(published).toContain('"legal_entity":"Sandbox France SAS"');
  expect(await (await server.send("GET", "/providers")).text()).not.toContain("Sandbox France SAS");
});
