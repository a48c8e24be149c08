import { expect, test, vi } from "vitest";
import { Budget } from "#contract/budget.ts";
import { data } from "#contract/common.ts";
import { keyClient } from "./key-client.ts";
import { answer } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { send, post } = server;
const { make } = keyClient(server);

const patch = (id: string, body: object) => send("PATCH", `/budgets/${id}`, { body: JSON.stringify(body) });

// A busy machine may take longer once, so it may try again.
test("a new, changed, disabled or deleted budget has its effect in another process within a second", {
  retry: 3,
}, async () => {
  const second = await server.startSecond();
  const { key, data: made } = await make({});
  /** The status of a request there, and the limit that it was counted under. */
  const there = async () => {
    const body = JSON.stringify({ model: "sandbox/chat", prompt: "Hello.", max_tokens: 8 });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${second.origin}/api/v1/completions`, { method: "POST", body, headers });
    return [response.status, response.headers.get("x-ratelimit-limit-tokens")];
  };
  const becomes = (status: number, limit: string | null, timeout = 1_000) =>
    vi.waitFor(async () => expect(await there()).toEqual([status, limit]), { timeout, interval: 25 });
  // The key reaches the other process with the configuration too.
  await becomes(200, null, 5_000);
  const dimensions = [{ dimension: "key", value: made.id }];
  const draft = { name: made.id, measure: "tokens", limit: 0, period: "day", dimensions };
  const budget = (await answer(data(Budget), await post("/budgets", draft), 201)).data;
  await becomes(429, "0");
  await patch(budget.id, { limit: 1_000_000 });
  await becomes(200, "1000000");
  await patch(budget.id, { limit: 0 });
  await becomes(429, "0");
  await patch(budget.id, { enabled: false });
  await becomes(200, null);
  await patch(budget.id, { enabled: true });
  await becomes(429, "0");
  await send("DELETE", `/budgets/${budget.id}`);
  await becomes(200, null);
});
