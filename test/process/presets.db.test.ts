import { describe, expect, test } from "vitest";
import { data, dataList } from "#contract/common.ts";
import { type Api, apis, inferenceOperations } from "#contract/inference-operations.ts";
import { Preset, PresetVersion, PresetWithVersion } from "#contract/preset.ts";
import { keyClient } from "./key-client.ts";
import { startOwnUpstream } from "./own-upstream.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const own = await startOwnUpstream();
const server = await startTestServer({ settings: own.settings, overlay: own.overlay });
const { send, post, services } = server;
const { make } = keyClient(server);

const One = data(PresetWithVersion);
let names = 0;
const newName = () => `preset-${names++}`;
async function create(body: object): Promise<string> {
  const { data: made } = await answer(One, await post("/presets", { name: newName(), ...body }), 201);
  return made.name;
}
const patch = async (name: string, body: object) =>
  (await answer(One, await send("PATCH", `/presets/${name}`, { body: JSON.stringify(body) }))).data;

const messages = [{ role: "user", content: "Hello." }];
/** A request of each operation, and a model that serves it. */
const asked: Record<Api, { model: string; body: object }> = {
  chat: { model: "sandbox/chat", body: { messages } },
  responses: { model: "sandbox/chat", body: { input: "Hello." } },
  messages: { model: "sandbox/chat", body: { messages, max_tokens: 8 } },
  completions: { model: "sandbox/chat", body: { prompt: "Hello." } },
  embeddings: { model: "sandbox/embed", body: { input: "Hello." } },
  rerank: { model: "sandbox/rerank", body: { query: "a", documents: ["a", "b"] } },
};

async function recordOf(response: Response) {
  await response.text();
  await services.billing.drain();
  const id = response.headers.get("x-generation-id") ?? "";
  return services.database.prisma.generation.findUniqueOrThrow({ where: { id } });
}

describe.each(apis)("%s", (api) => {
  const { path } = inferenceOperations[api];
  const { model, body } = asked[api];

  test("takes its model from a preset by either name, and the record names the version", async () => {
    const name = await create({ config: { models: [model] } });
    for (const named of [{ preset: name }, { model: `@preset/${name}` }, { preset: `${name}@1` }]) {
      const response = await post(path, { ...body, ...named });
      expect([response.status, response.headers.get("x-portolan-preset")]).toEqual([200, `${name}@1`]);
      expect(await recordOf(response)).toMatchObject({
        model,
        model_requested: model,
        parameters: { preset: `${name}@1` },
      });
    }
  });

  test("is bound by the rules and the models of its key all the same", async () => {
    const name = await create({ config: { models: [model], provider: { only: ["sandbox-us"] } } });
    const { key } = await make({});
    const rule = {
      name: `For ${name}`,
      scope: "org",
      auto_apply: false,
      provider: { ignore: ["sandbox-us"] },
    };
    expect((await post("/routing-rules", rule)).status).toBe(201);
    const refused = await post(path, { ...body, preset: name, rule_name: rule.name }, { key });
    expect(refused.status).toBe(503);
    const { key: bound } = await make({ allowed_models: ["own/chat"] });
    expect((await post(path, { ...body, preset: name }, { key: bound })).status).toBe(403);
  });

  test("refuses an unknown preset with the name of the field", async () => {
    const unknown = await post(path, { ...body, preset: "none" });
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain("preset: there is no preset `none`");
    const invalid = await post(path, { ...body, model: "@preset/No name" });
    expect(invalid.status).toBe(400);
    expect(await invalid.text()).toContain("model: must name a preset");
  });

  test("refuses a preset that sets what it cannot take", async () => {
    const other = api === "embeddings" ? { top_n: 3 } : { dimensions: 3 };
    const name = await create({ config: { models: [model], ...other } });
    const refused = await post(path, { ...body, preset: name });
    expect([refused.status, (await refused.text()).includes(`which ${path} does not take`)]).toEqual([
      400,
      true,
    ]);
  });
});

describe("a chat request with a preset", () => {
  const config = { models: ["own/chat"], temperature: 0.25, max_tokens: 4, tool_choice: "auto" };
  const sentBy = async (body: object) => {
    const response = await post("/chat/completions", { messages, ...body });
    expect(response.status).toBe(200);
    return own.askedFor(response.headers.get("x-generation-id") ?? "");
  };

  test("reaches the provider with its prompt, its parameters and what the client sends instead", async () => {
    const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
    const name = await create({ system_prompt: "Be brief.", config: { ...config, tools } });
    const system = { role: "system", content: "Be brief." };
    expect(await sentBy({ preset: name })).toMatchObject({
      model: "chat",
      messages: [system, ...messages],
      temperature: 0.25,
      tools,
    });
    const changed = await sentBy({ preset: name, temperature: 1, tools: null });
    expect(changed).toMatchObject({ messages: [system, ...messages], temperature: 1 });
    expect(changed).not.toHaveProperty("tools");
    expect(changed).not.toHaveProperty("tool_choice");
    expect(changed).not.toHaveProperty("preset");
  });

  test("uses the new version after a change, the old one where it is named, and the old one again once restored", async () => {
    const name = await create({ system_prompt: "One.", config: { models: ["own/chat"] } });
    expect(await patch(name, { system_prompt: "Two." })).toMatchObject({ version: 2 });
    const promptOf = async (preset: string) => {
      const { messages: sent } = (await sentBy({ preset })) as { messages: { content: string }[] };
      return sent[0]?.content;
    };
    expect([await promptOf(name), await promptOf(`${name}@1`), await promptOf(`${name}@2`)]).toEqual([
      "Two.",
      "One.",
      "Two.",
    ]);
    const restored = await post(`/presets/${name}/versions/1/restore`, {});
    expect((await answer(One, restored)).data).toMatchObject({
      version: 3,
      designated_version: { system_prompt: "One.", restored_from: 1 },
    });
    expect(await promptOf(name)).toBe("One.");
    expect((await send("DELETE", `/presets/${name}/versions/2`)).status).toBe(200);
    await refusal(await post("/chat/completions", { messages, preset: `${name}@2` }), 404, "preset");
    expect((await send("DELETE", `/presets/${name}`)).status).toBe(200);
    await refusal(await post("/chat/completions", { messages, preset: name }), 404, "preset");
  });
});

describe("what counts tokens", () => {
  test("includes the system prompt of the preset", async () => {
    const name = await create({ system_prompt: "Be brief. ".repeat(100), config: {} });
    const tokensOf = async (path: string, body: object) =>
      ((await (await post(path, body)).json()) as { input_tokens: number }).input_tokens;
    const [without, added] = [
      await tokensOf("/messages/count_tokens", { messages }),
      await tokensOf("/messages/count_tokens", { messages, preset: name }),
    ];
    expect(added - without).toBeGreaterThan(200);
    const input = { input: "Hello." };
    expect(await tokensOf("/responses/input_tokens", { ...input, preset: name })).toBeGreaterThan(200);
    expect(await tokensOf("/responses/input_tokens", input)).toBeLessThan(50);
  });
});

describe("a stored preset", () => {
  test("is listed, read and searched, with the operations that take it", async () => {
    const name = await create({ description: "For the bookshop", config: { seed: 1 } });
    const list = await answer(dataList(Preset), await send("GET", "/presets?search=BOOKSHOP"));
    expect(list).toMatchObject({
      total_count: 1,
      data: [{ name, slug: name, version: 1, status: "active" }],
    });
    const { data: one } = await answer(One, await send("GET", `/presets/${name}`));
    expect(one.designated_version).toMatchObject({
      config: { seed: 1 },
      operations: ["chat", "completions"],
    });
    expect(one.designated_version_id).toBe(one.designated_version.id);
  });

  test("gets no new version by a change of its description, or by none", async () => {
    const name = await create({ system_prompt: "One.", config: { seed: 1, temperature: 1 } });
    expect(await patch(name, { description: "New" })).toMatchObject({ version: 1, description: "New" });
    expect(
      await patch(name, { system_prompt: "One.", config: { temperature: 1, seed: 1, stop: null } }),
    ).toMatchObject({ version: 1 });
    expect(await patch(name, { config: { seed: 1 } })).toMatchObject({
      version: 2,
      designated_version: { system_prompt: "One." },
    });
    const versions = await answer(dataList(PresetVersion), await send("GET", `/presets/${name}/versions`));
    expect(versions.data.map(({ version }) => version)).toEqual([2, 1]);
  });

  test.each([
    { body: { name: "Not a name" }, param: "name" },
    { body: { config: { temperature: 3 } }, param: "config.temperature" },
    { body: { config: { unknown: 3 } }, param: "config.unknown" },
    { body: { config: { models: ["no/such-model"] } }, param: "config.models" },
    { body: { config: { models: ["@preset/other"] } }, param: "config.models.0" },
    { body: { config: { provider: { unknown: true } } }, param: "config.provider.unknown" },
    { body: { config: { tools: [{ type: "web_search" }] } }, param: "config.tools.0.type" },
    { body: { system_prompt: "" }, param: "system_prompt" },
    {
      body: {
        config: {
          logit_bias: {},
          response_format: {
            type: "json_schema",
            json_schema: { name: "a", schema: { a: "x".repeat(70_000) } },
          },
        },
      },
      param: "config",
    },
  ])("is refused with the field $param: $body", async ({ body, param }) => {
    await refusal(await post("/presets", { name: newName(), ...body }), 400, param);
  });

  test("cannot be renamed, because requests use its name", async () => {
    const name = await create({});
    const renamed = await send("PATCH", `/presets/${name}`, { body: JSON.stringify({ name: "other" }) });
    expect((await refusal(renamed, 400, "name")).message).toContain("cannot be changed");
  });

  test("has a row in the audit log for each change", async () => {
    const name = await create({ config: { seed: 1 } });
    await patch(name, { config: { seed: 2 } });
    await post(`/presets/${name}/versions/1/restore`, {});
    await send("DELETE", `/presets/${name}/versions/1`);
    await send("DELETE", `/presets/${name}`);
    const rows = await services.database.prisma.audit_entry.findMany({
      where: {
        subject_type: "preset",
        OR: [{ before: { path: ["name"], equals: name } }, { after: { path: ["name"], equals: name } }],
      },
      orderBy: { position: "asc" },
    });
    expect(rows.map(({ action }) => action)).toEqual(
      ["create", "update", "restore", "delete_version", "delete"].map((verb) => `preset.${verb}`),
    );
  });
});

test("a dry run takes models, preferences and parameters of a preset", async () => {
  const name = await create({ config: { models: ["sandbox/chat"], provider: { only: ["sandbox-de"] } } });
  const run = async (body: object) =>
    (await (await post("/routing-rules/dry-run", body)).json()) as { data: object };
  const expected = {
    effective_preferences: { only: ["sandbox-de"] },
    results: [{ model: "sandbox/chat", providers: ["sandbox-de"] }],
  };
  expect((await run({ preset: name })).data).toMatchObject(expected);
  expect((await run({ model: `@preset/${name}` })).data).toMatchObject(expected);
  await refusal(await post("/routing-rules/dry-run", { preset: "none" }), 404, "preset");
});

test("the record of a request can be found by its preset", async () => {
  const name = await create({ config: { models: ["sandbox/chat"], max_tokens: 3 } });
  const response = await post("/chat/completions", { preset: name, messages });
  const { id } = await recordOf(response);
  const record = await (await send("GET", `/generation?id=${id}`)).json();
  expect(record).toMatchObject({ data: { preset: `${name}@1`, tokens_completion: 3 } });
});
