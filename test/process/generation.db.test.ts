import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { GenerationRecord } from "#contract/generation-record.ts";
import { authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { findGeneration, listGenerations } from "#server/activity/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { join, newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { post, send } = server;

const read = (id: string, key?: string) =>
  send("GET", `/generation?id=${id}`, key === undefined ? {} : { key });

const recordOf = async (id: string) =>
  GenerationRecord.parse(((await (await read(id)).json()) as { data: unknown }).data);

/** An answer and the id it carries, once it is in the database. */
async function answered(path: string, body: object) {
  const response = await post(path, { ...body, user: "somebody" });
  const answer = (await response.json()) as { id: string; usage: { cost: number; cost_eur: number } };
  await server.services.billing.drain();
  return { answer, id: response.headers.get("x-generation-id") ?? "" };
}

const asked = [
  ["/completions", "completions", { model: "sandbox/chat", prompt: "Hello", max_tokens: 5 }],
  ["/chat/completions", "chat", { model: "sandbox/chat", messages: [{ role: "user", content: "Hello" }] }],
  ["/rerank", "rerank", { model: "sandbox/rerank", query: "q", documents: ["a", "b"] }],
  ["/embeddings", "embeddings", { model: "sandbox/embed", input: "Hello" }],
] as const;

test.each(asked)(
  "%s: the record is found by the answer's id and by its header, and has its cost",
  async (path, name, body) => {
    const { answer, id } = await answered(path, { ...body, provider: { only: ["sandbox-de"] } });
    const record = await recordOf(answer.id);
    expect(record).toEqual(await recordOf(id));
    expect(record).toMatchObject({
      id,
      api_type: name,
      status: "completed",
      provider_name: "Sandbox Germany",
      data_region: "DE",
      external_user: "somebody",
      cancelled: false,
      total_cost: answer.usage.cost,
      total_cost_eur: answer.usage.cost_eur,
      provider_responses: [{ provider_name: "Sandbox Germany", api: null, status: 200, outcome: "ok" }],
    });
  },
);

describe("nobody can read a generation of another organisation", () => {
  test("a foreign id is answered like an unknown id", async () => {
    const { id } = await answered("/embeddings", { model: "sandbox/embed", input: "Hello" });
    const { key } = await join(server, await newOrganisation(server), "owner");
    const bodies = await Promise.all(
      [id, uuidv7()].map(async (one) => {
        const response = await read(one, key);
        expect(response.status).toBe(404);
        return { ...ErrorEnvelope.parse(await response.json()), requestId: "" };
      }),
    );
    expect(bodies[0]).toEqual(bodies[1]);
  });
});

test.each(["", "gen-", "7", "' or 1=1", "resp_0"])(
  "%j is not an id, and the answer describes the format",
  async (id) => {
    const response = await read(encodeURIComponent(id));
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.param]).toEqual([400, "id"]);
  },
);

test("the log shows what was recorded of a request", async () => {
  const response = await server.post("/completions", {
    model: "sandbox/chat",
    prompt: "Hello",
    max_tokens: 4,
    session_id: "one-session",
    provider: { data_residency: "fr" },
  });
  expect(response.status).toBe(200);
  const row = await server.record(response.headers.get("x-generation-id"));
  const system: Caller = {
    kind: "system",
    orgId: row.org_id,
    userId: row.user_id,
    permissions: new Set(["activity:read"]),
  };
  const { database } = server.services;
  const caller = authorize(system, "activity:read", "workspace");
  const { data } = await listGenerations(database, caller, { find: "one-session", limit: 10 });
  expect(data).toMatchObject([{ id: row.id, status: "completed", provider: "sandbox-fr", attempts: 1 }]);
  const generation = await findGeneration(database, caller, row.id);
  expect(generation.tries).toMatchObject([{ endpoint: "sandbox-fr:sandbox/chat", outcome: "ok" }]);
  expect(generation.decision.models[0]).toMatchObject({
    ranked: ["sandbox-fr:sandbox/chat"],
    excluded: [{ excluded_by: "data_region" }, { excluded_by: "data_region" }],
  });
});
