import { expect, test } from "vitest";
import { authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { type Permission, permissionsOf } from "#server/access/permissions.ts";
import { findGeneration } from "#server/activity/index.ts";
import { replayOf } from "#server/inference/index.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services, post } = server;

/** Somebody signed in at the organisation of a generation. */
async function personOf(id: string | null): Promise<Caller> {
  const { org_id: orgId, user_id: userId } = await server.record(id);
  return { kind: "system", orgId, userId, permissions: permissionsOf("member") };
}

const replay = async (caller: Caller, id: string | null) => {
  const generation = await findGeneration(
    services.database,
    authorize(caller, "activity:read", "workspace"),
    id ?? "",
  );
  return replayOf(services.responses, authorize(caller, "inference:use", "workspace"), generation);
};

const idOf = (response: Response) => response.headers.get("x-generation-id");

test("a stored response returns its original request, conversation included, and it can be sent", async () => {
  const first = await post("/responses", {
    model: "sandbox/chat",
    input: "My name is Ada.",
    max_output_tokens: 8,
  });
  const { id: previous, output_text: said } = (await first.json()) as { id: string; output_text: string };
  const asked = {
    model: "sandbox/chat",
    instructions: "Be brief.",
    input: [{ type: "message", role: "user", content: "Who am I?" }],
    max_output_tokens: 8,
    temperature: 0.5,
    provider: { data_residency: "eu" },
    tools: [{ type: "function", name: "look_up", parameters: { type: "object" } }],
    previous_response_id: previous,
  };
  const second = await post("/responses", asked);
  const { body, ...rest } = await replay(await personOf(idOf(second)), idOf(second));
  const { output_text: answer } = (await second.json()) as { output_text: string };
  expect(rest).toEqual({ operation: "responses", content_kept: true, answer });
  const { previous_response_id: _, input, ...fields } = asked;
  expect(body).toMatchObject(fields);
  expect(body.input).toEqual([
    { type: "message", role: "user", content: "My name is Ada." },
    expect.objectContaining({ role: "assistant", content: [expect.objectContaining({ text: said })] }),
    ...input,
  ]);
  expect((await post("/responses", body)).status).toBe(200);
});

test("a stored chat completion returns its original request", async () => {
  const asked = {
    ...{ model: "sandbox/chat", max_completion_tokens: 8, store: true },
    messages: [{ role: "user", content: "Who am I?" }],
    tools: [{ type: "function", function: { name: "look_up", parameters: { type: "object" } } }],
  };
  const chat = await post("/chat/completions", asked);
  const { choices } = (await chat.json()) as { choices: { message: { content: string } }[] };
  expect(await replay(await personOf(idOf(chat)), idOf(chat))).toEqual({
    ...{ operation: "chat", body: asked, content_kept: true },
    answer: choices[0]?.message.content,
  });
});

test("without storage everything but the content is returned, and the answer says so", async () => {
  const parameters = { max_completion_tokens: 8, temperature: 0.2, provider: { data_residency: "fr" } };
  const messages = [{ role: "user", content: "A secret" }];
  const chat = await post("/chat/completions", { model: "sandbox/chat", messages, ...parameters });
  expect(await replay(await personOf(idOf(chat)), idOf(chat))).toEqual({
    operation: "chat",
    body: { model: "sandbox/chat", ...parameters },
    content_kept: false,
    answer: null,
  });
  const response = await post("/responses", { model: "sandbox/chat", input: "A secret", store: false });
  const { content_kept: kept, body } = await replay(await personOf(idOf(response)), idOf(response));
  expect(kept).toBe(false);
  expect(body).not.toHaveProperty("input");
});

test("other organisations and callers without the permission get nothing", async () => {
  const asked = await post("/responses", { model: "sandbox/chat", input: "Ours alone" });
  const own = await personOf(idOf(asked));
  const { orgId, userId } = await newOrganisation(server);
  await expect(replay({ ...own, orgId, userId } as Caller, idOf(asked))).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  const viewer = { ...own, permissions: new Set<Permission>(["activity:read"]) } as Caller;
  await expect(replay(viewer, idOf(asked))).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("the system prompt of a preset is in it once: as stored content, else by naming the preset's version", async () => {
  const config = { models: ["sandbox/chat"], max_tokens: 4 };
  await post("/presets", { name: "replayed", system_prompt: "Be brief.", config });
  const messages = [{ role: "user", content: "Hello." }];
  const bodyOf = async (more: object) => {
    const response = await post("/chat/completions", { preset: "replayed", messages, ...more });
    await response.text();
    return (await replay(await personOf(idOf(response)), idOf(response))).body;
  };
  const stored = await bodyOf({ store: true });
  expect(stored.messages).toMatchObject([{ role: "system", content: "Be brief." }, { role: "user" }]);
  expect(stored).not.toHaveProperty("preset");
  const forgotten = await bodyOf({});
  expect(forgotten).toMatchObject({ model: "sandbox/chat", preset: "replayed@1" });
  expect(forgotten).not.toHaveProperty("messages");
});
