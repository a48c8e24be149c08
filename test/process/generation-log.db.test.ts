import { expect, test } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { findGeneration, listGenerations } from "#server/activity/index.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();

test("what the gateway records of a request is what the log tells", async () => {
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
