import { afterEach, describe, expect, test, vi } from "vitest";
import { data, dataList } from "#contract/common.ts";
import type { Erasure, SubjectExport } from "#contract/data-subjects.ts";
import { LegalHold } from "#contract/legal-hold.ts";
import { eraseSubject } from "#server/evidence/index.ts";
import {
  purgeExpiredCompletions,
  purgeExpiredConversations,
  purgeExpiredResponses,
} from "#server/inference/index.ts";
import { clock, dayMs } from "#server/platform/clock.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { organisationClient } from "./managed-organisations.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services, post, send } = server;
const { prisma } = services.database;
const signal = new AbortController().signal;

async function ok<T>(response: Response): Promise<T> {
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

/** What is stored of an end user: a response in a conversation of its own, and a chat completion, with their paths. */
async function stored(user: string) {
  const { id: conversation } = await ok<{ id: string }>(await post("/conversations", {}));
  const own = { model: "sandbox/chat", user, store: true };
  const response = await ok<{ id: string }>(
    await post("/responses", { ...own, input: "x", conversation, max_output_tokens: 4 }),
  );
  const messages = [{ role: "user", content: "x" }];
  const completion = await ok<{ id: string }>(
    await post("/chat/completions", { ...own, messages, max_tokens: 4 }),
  );
  await services.responses.responseSpool.flushed();
  await services.responses.completionSpool.flushed();
  await services.billing.drain();
  const items = await ok<{ data: { id: string }[] }>(
    await send("GET", `/conversations/${conversation}/items`),
  );
  return [
    `/conversations/${conversation}/items/${items.data[0]?.id}`,
    `/conversations/${conversation}`,
    `/responses/${response.id}`,
    `/chat/completions/${completion.id}`,
  ];
}

const hold = async (body: object): Promise<LegalHold> =>
  (await answer(data(LegalHold), await post("/legal-holds", { name: "Case 17", ...body }), 201)).data;
const release = (id: string) => send("POST", `/legal-holds/${id}/release`, { body: "{}" });
const erase = (body: object) => post("/erasures", { dry_run: false, ...body });
const statusOf = async (id: string) =>
  (await ok<{ data: Erasure }>(await send("GET", `/erasures/${id}`))).data.status;

afterEach(async () => {
  vi.restoreAllMocks();
  await prisma.legal_hold.deleteMany();
});

const forbidden = "A legal hold of the organisation forbids deleting this";
const me = async () => (await prisma.api_key.findFirstOrThrow({ orderBy: { created_at: "asc" } })).user_id;
const keyId = async () => (await prisma.api_key.findFirstOrThrow({ orderBy: { created_at: "asc" } })).id;

describe("a legal hold", () => {
  test.each([
    ["an end user", async () => ({ end_user: "held@example.eu" })],
    ["a person", async () => ({ user_id: await me() })],
    ["an API key", async () => ({ api_key_id: await keyId() })],
    ["the organisation", async () => ({})],
  ] as const)(
    "of %s forbids deleting what is stored of it, and its release permits it",
    async (_, subject) => {
      const paths = await stored("held@example.eu");
      const { id } = await hold(await subject());
      for (const path of paths) {
        const refused = await send("DELETE", path);
        expect(refused.status, path).toBe(409);
        expect(await refused.json()).toMatchObject({ error: { message: forbidden } });
      }
      expect((await release(id)).status).toBe(200);
      for (const path of paths) expect((await send("DELETE", path)).status, path).toBe(200);
    },
  );

  test("of an end user does not concern what is stored of others", async () => {
    const paths = await stored("other@example.eu");
    await hold({ end_user: "held@example.eu" });
    for (const path of paths) expect((await send("DELETE", path)).status, path).toBe(200);
  });

  test("keeps expired content of whom it concerns, which an export still has, and only that", async () => {
    const [held, others] = [await stored("held@example.eu"), await stored("other@example.eu")];
    await hold({ end_user: "held@example.eu" });
    const nowMs = clock.nowMs();
    vi.spyOn(clock, "nowMs").mockReturnValue(nowMs + 365 * dayMs);
    const purge = async () => {
      await purgeExpiredResponses(services);
      await purgeExpiredCompletions(services);
      await purgeExpiredConversations(services);
    };
    const counts = async () => [
      await prisma.stored_response.count(),
      await prisma.stored_completion.count(),
      await prisma.conversation.count(),
    ];
    await purge();
    expect(await counts()).toEqual([1, 1, 1]);
    vi.restoreAllMocks();
    for (const path of held) expect((await send("GET", path)).status, path).toBe(200);
    for (const path of others) expect((await send("GET", path)).status, path).toBe(404);
    const found = await ok<SubjectExport>(
      await post("/data-subjects/export", { end_user: "held@example.eu" }),
    );
    expect(found.data.filter(({ content }) => content !== null).length).toBeGreaterThanOrEqual(2);
    await prisma.legal_hold.deleteMany();
    vi.spyOn(clock, "nowMs").mockReturnValue(nowMs + 365 * dayMs);
    await purge();
    expect(await counts()).toEqual([0, 0, 0]);
  });
});

describe("an erasure", () => {
  const [ada, grace] = [{ end_user: "ada@example.eu" }, { end_user: "grace@example.eu" }];

  test("is refused with the name of the legal hold, and a dry run is not", async () => {
    const { id } = await hold(ada);
    expect((await refusal(await erase(ada), 409, null)).message).toContain(
      'The legal hold "Case 17" forbids this erasure',
    );
    expect((await erase({ ...ada, dry_run: true })).status).toBe(201);
    // Another end user has other requests; a key or a person may have theirs.
    expect((await erase(grace)).status).toBe(201);
    expect((await erase({ user_id: await me() })).status).toBe(409);
    expect((await erase({ api_key_id: await keyId() })).status).toBe(409);
    await release(id);
    expect((await erase(ada)).status).toBe(201);
  });

  test("that waits when a legal hold is set goes on after its release", async () => {
    const user = { end_user: "late@example.eu" };
    await stored(user.end_user);
    const { data: dry } = await ok<{ data: Erasure }>(await erase({ ...user, dry_run: true }));
    const { id } = await hold({});
    // As it was put in before the hold.
    const { org_id, created_by } = await prisma.erasure.findUniqueOrThrow({ where: { id: dry.id } });
    const erasure = await prisma.erasure.create({
      data: {
        ...{ id: uuidv7(), org_id, created_by, subject_type: "end_user", subject_hash: dry.subject_hash },
        ...{ dry_run: false, repeated: true, status: "waiting", requests_until: new Date() },
        ...{ counts: {}, destinations: [] },
      },
    });
    const run = () => eraseSubject(services, { id: erasure.id, again: false }, signal);
    await run();
    expect(await statusOf(erasure.id)).toBe("waiting");
    expect(await prisma.generation.count({ where: { user_reference: user.end_user } })).toBe(2);
    await release(id);
    await run();
    expect(await statusOf(erasure.id)).toBe("done");
    expect(await prisma.generation.count({ where: { user_reference: user.end_user } })).toBe(0);
  });
});

test("holds are listed newest first; after the release only a hash names the subject", async () => {
  const first = await hold({ end_user: "ada@example.eu", reference: "AZ 1" });
  const second = await hold({ name: "Everything" });
  await release(first.id);
  const list = await answer(dataList(LegalHold), await send("GET", "/legal-holds"));
  expect(list.data).toMatchObject([
    { id: second.id, name: "Everything", subject_type: null, subject: null, released_at: null },
    { id: first.id, reference: "AZ 1", subject_type: "end_user", subject: null },
  ]);
  expect(list.data[1]?.subject_hash).toBe(first.subject_hash);
  expect(list.data[1]?.released_at).not.toBeNull();
  expect((await release(first.id)).status).toBe(409);
  expect((await release(uuidv7())).status).toBe(404);
  const texts = await prisma.audit_entry.findMany({ where: { subject_id: first.id } });
  expect(texts.map(({ action }) => action)).toEqual(["legal_hold.create", "legal_hold.release"]);
  expect(JSON.stringify(texts.map(({ before, after }) => [before, after]))).not.toContain("ada@");
});

test("a person and a key must be the organisation's, and only one subject can be named", async () => {
  expect((await post("/legal-holds", { name: "x", user_id: uuidv7() })).status).toBe(404);
  expect((await post("/legal-holds", { name: "x", api_key_id: uuidv7() })).status).toBe(404);
  const both = await post("/legal-holds", { name: "x", end_user: "a", user_id: await me() });
  await refusal(both, 400, "user_id");
});

test("an organisation with a legal hold is not deleted", async () => {
  const { createdOrganisation, suspend, remove } = organisationClient(server);
  const { id } = await createdOrganisation("Held");
  const own = await prisma.legal_hold.create({
    data: { id: uuidv7(), org_id: id, name: "Case", created_by: uuidv7(), created_at: new Date() },
  });
  await suspend(id);
  expect((await refusal(await remove(id, "Held"), 409, null)).message).toContain("legal holds");
  await prisma.legal_hold.delete({ where: { id: own.id } });
  expect((await remove(id, "Held")).status).toBeLessThan(300);
});
