import { expect, test } from "vitest";
import { eventsOf, startTestServer } from "./server.ts";

const email = "ada@example.eu";
const password = "correct horse battery";
const { origin, services, record } = await startTestServer({
  settings: { ADMIN_EMAIL: email, ADMIN_PASSWORD: password },
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${origin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, ...headers },
    body: JSON.stringify(body),
  });

const session = (await post("/api/auth/sign-in/email", { email, password })).headers.getSetCookie();
const cookie = session[0]?.split(";")[0] ?? "";
const ask = { model: "sandbox/chat", messages: [{ role: "user", content: "hello" }], max_tokens: 8 };
const chat = (body: object, headers: Record<string, string> = { cookie }) =>
  post("/api/playground/chat/completions", body, headers);

const playgroundKeys = () => services.database.prisma.api_key.findMany({ where: { name: "Playground" } });

test("a signed-in person's requests are served and billed under one key of theirs, however many run at once", async () => {
  const answers = await Promise.all([1, 2, 3].map(() => chat(ask)));
  for (const answer of answers) expect(answer.status).toBe(200);
  const body = (await answers[0]?.json()) as { provider: string; usage: { cost: number } };
  expect(body.provider).not.toBe("");
  expect(body.usage.cost).toBeGreaterThan(0);
  const keys = await playgroundKeys();
  expect(keys).toHaveLength(1);
  const row = await record(answers[0]?.headers.get("x-generation-id") ?? null);
  expect(row).toMatchObject({ api_key_id: keys[0]?.id, operation: "chat", status: "completed" });
  expect(row.cost_pico_eur).toBeGreaterThan(0n);
});

test("streams come as events", async () => {
  const answer = await chat({ ...ask, stream: true });
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  expect((await eventsOf(answer)).at(-1)).toBe("[DONE]");
});

test("requests without a session, and from other sites, are refused", async () => {
  expect((await chat(ask, {})).status).toBe(401);
  expect((await chat(ask, { cookie, origin: "https://evil.example" })).status).toBe(403);
  expect((await post("/api/playground/keys", { name: "x" }, { cookie })).status).toBe(404);
});

test("its key is an ordinary one: if it is disabled, nothing is served", async () => {
  await chat(ask);
  await services.database.prisma.api_key.updateMany({
    where: { name: "Playground" },
    data: { disabled: true },
  });
  await services.database.prisma.config_version.updateMany({ data: { version: { increment: 1 } } });
  await services.refreshSnapshot();
  const refused = await chat(ask);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("Playground") } });
});
