import { describe, expect, test } from "vitest";
import { join, newOrganisation } from "./people.ts";
import { answer, Rule, refusal, ruleClient } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services } = server;
const ours = await newOrganisation(server);
const theirs = await newOrganisation(server);

const [admin, member, viewer] = [
  await join(server, ours, "admin"),
  await join(server, ours, "member"),
  await join(server, ours, "viewer"),
];

const nobody = "0190a000-0000-7000-8000-000000000000";
const { call, create } = ruleClient(server, ours.key);

test("models are accepted in any case and stored as in the catalogue; unknown models are refused with a hint", async () => {
  const rule = await create({ name: "Shouted", model: "Sandbox/CHAT", models: ["SANDBOX/Rerank:Floor"] });
  expect(rule).toMatchObject({ model: "sandbox/chat", models: ["sandbox/rerank:floor"] });
  const asked = { name: "Shouted", model: "chat" };
  const reported = await call("POST", "", asked);
  expect([reported.status, await reported.json()]).toMatchObject([
    400,
    { error: { param: "model", message: expect.stringContaining("did you mean `sandbox/chat`?") } },
  ]);
  const change = await call("PATCH", `/${rule.id}`, { models: ["sandbox/Chat", "nobody/nothing"] });
  await refusal(change, 400, "models");
  const changed = await answer(Rule, await call("PATCH", `/${rule.id}`, { models: ["sandbox/Embed"] }));
  expect(changed.data.models).toEqual(["sandbox/embed"]);
  const draft = { rule: { name: "Draft", models: ["nobody/nothing"] }, days: 1 };
  await refusal(await call("POST", "/simulate", draft), 400, "rule.models");
  await call("DELETE", `/${rule.id}`);
});

test("a model that the catalogue has lost stays in its rule, also when it is sent again", async () => {
  const rule = await create({ name: "Old", models: ["sandbox/chat"] });
  await services.database.prisma.routing_rule.update({
    where: { id: rule.id },
    data: { models: ["gone/model"] },
  });
  const sent = { name: "Older", models: ["gone/model", "sandbox/chat"] };
  const changed = await answer(Rule, await call("PATCH", `/${rule.id}`, sent));
  expect(changed.data).toMatchObject(sent);
  await call("DELETE", `/${rule.id}`);
});

describe("one rule", () => {
  test("an update changes the fields that are sent, `null` clears, `{}` changes nothing", async () => {
    const rule = await create({
      name: "Changing",
      description: "before",
      model: "sandbox/chat",
      models: ["sandbox/chat"],
      provider: { eu_owned: true, zdr: true },
      enabled: false,
    });
    const path = `/${rule.id}`;
    const change = async (body: object) => (await answer(Rule, await call("PATCH", path, body))).data;
    expect(await change({})).toEqual(rule);
    const changed = await change({ name: "Changed", provider: { sort: "latency" }, auto_apply: false });
    expect(changed).toMatchObject({
      name: "Changed",
      description: "before",
      provider: { sort: "latency" },
      auto_apply: false,
    });
    expect(changed.provider).not.toHaveProperty("eu_owned");
    const cleared = await change({ description: null, model: null, models: null, provider: null });
    expect(cleared).toMatchObject({ description: null, model: null, models: null, provider: null });
    expect(cleared.created_at).toBe(rule.created_at);
    expect(cleared.updated_at > rule.updated_at).toBe(true);
    expect((await change({ enabled: true })).enabled).toBe(true);
    await call("DELETE", path);
  });

  test.each(["scope", "org_id", "workspace_id", "api_key_id", "user_id"])(
    "%s cannot be changed",
    async (field) => {
      const rule = await create({ name: `Keeps ${field}`, enabled: false });
      const value = field === "scope" ? "org" : nobody;
      const error = await refusal(await call("PATCH", `/${rule.id}`, { [field]: value }), 400, field);
      expect(error.message).toContain("cannot be changed");
      await call("DELETE", `/${rule.id}`);
    },
  );

  test.each([
    ["name", null],
    ["enabled", null],
    ["provider.sort", { sort: "cheap" }],
    ["colour", "blue"],
  ])("a bad %s is refused by name", async (param, value) => {
    const rule = await create({ name: `Refuses ${param}`, enabled: false });
    await refusal(await call("PATCH", `/${rule.id}`, { [param.split(".")[0] ?? ""]: value }), 400, param);
    await call("DELETE", `/${rule.id}`);
  });

  test("renaming onto a taken name is a conflict", async () => {
    const [a, b] = [await create({ name: "A", enabled: false }), await create({ name: "B", enabled: false })];
    await refusal(await call("PATCH", `/${b.id}`, { name: "a" }), 409, "name");
    for (const { id } of [a, b]) await call("DELETE", `/${id}`);
  });

  test("a rule can be deleted once", async () => {
    const { id } = await create({ name: "Gone", enabled: false });
    expect(await (await call("DELETE", `/${id}`)).json()).toEqual({ data: { success: true } });
    for (const method of ["DELETE", "GET"]) await refusal(await call(method, `/${id}`), 404, "id");
    await refusal(await call("PATCH", `/${id}`, {}), 404, "id");
  });

  test("a rule of another organisation or person is answered like an unknown one", async () => {
    const foreign = await create({ name: "Secret", enabled: false }, theirs.key);
    const own = await create({ name: "Mine", enabled: false }, member.key);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? {} : undefined;
      const answers = [];
      for (const id of [foreign.id, own.id, nobody]) {
        const { message, metadata } = await refusal(await call(method, `/${id}`, body), 404, "id");
        answers.push({ message, metadata });
      }
      expect(answers[0]).toEqual(answers[2]);
      expect(answers[1]).toEqual(answers[2]);
    }
    await call("DELETE", `/${foreign.id}`, undefined, theirs.key);
    await call("DELETE", `/${own.id}`, undefined, member.key);
  });

  test.each(["not-a-uuid", "0190a000-0000-9000-8000-000000000000", "0190a000-0000-7000-0000-000000000000"])(
    "the id %s is not a UUID",
    async (id) => {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        await refusal(await call(method, `/${id}`, method === "PATCH" ? {} : undefined), 400, "id");
      }
    },
  );

  test.each(["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"])(
    "the id %s is valid and unknown",
    async (id) => {
      await refusal(await call("GET", `/${id}`), 404, "id");
    },
  );
});

describe("roles", () => {
  test("a viewer reads and runs dry runs, but changes nothing", async () => {
    const rule = await create({ name: "Shown", scope: "org", enabled: false });
    expect((await call("GET", `/${rule.id}`, undefined, viewer.key)).status).toBe(200);
    expect((await call("POST", "/dry-run", { model: "sandbox/chat" }, viewer.key)).status).toBe(200);
    expect((await call("GET", "/eu-residency", undefined, viewer.key)).status).toBe(200);
    await refusal(await call("POST", "", { name: "Mine" }, viewer.key), 403, null);
    await refusal(await call("PATCH", `/${rule.id}`, { enabled: true }, viewer.key), 403, null);
    await refusal(await call("DELETE", `/${rule.id}`, undefined, viewer.key), 403, null);
    await call("DELETE", `/${rule.id}`);
  });

  test.each([
    ["org", {}],
    ["workspace", { workspace_id: ours.workspaceId }],
  ])("only administrators change rules of scope %s", async (scope, ids) => {
    const body = { name: `Binds ${scope}`, scope, enabled: false, ...ids };
    await refusal(await call("POST", "", body, member.key), 403, "scope");
    const rule = await create(body, admin.key);
    await refusal(await call("PATCH", `/${rule.id}`, { enabled: true }, member.key), 403, "scope");
    await refusal(await call("DELETE", `/${rule.id}`, undefined, member.key), 403, "scope");
    expect((await call("DELETE", `/${rule.id}`, undefined, admin.key)).status).toBe(200);
  });

  test("a member makes rules for their own keys, not for keys of others", async () => {
    const rule = await create(
      { name: "Own key", scope: "api_key", api_key_id: member.keyId, enabled: false },
      member.key,
    );
    await refusal(
      await call("POST", "", { name: "Other key", scope: "api_key", api_key_id: ours.keyId }, member.key),
      404,
      "api_key_id",
    );
    await call("DELETE", `/${rule.id}`, undefined, member.key);
  });
});
