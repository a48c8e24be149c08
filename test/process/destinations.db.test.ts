import { describe, expect, test } from "vitest";
import { z } from "zod";
import { dataList } from "#contract/common.ts";
import { Destination, DestinationType, secretMask } from "#contract/destination.ts";
import { destinationClient, least, One } from "./destination-client.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings: { ALLOW_PRIVATE_DESTINATIONS: "collector.internal" } });
const ours = await newOrganisation(server);
const theirs = await newOrganisation(server);
const viewer = await join(server, ours, "viewer");
const member = await join(server, ours, "member");
const nobody = "0190a000-0000-7000-8000-000000000000";
const call = destinationClient(server, ours.key);

const create = async (body: object = {}, key = ours.key) =>
  (await answer(One, await call("POST", "", { ...least, ...body }, key), 201)).data;

const remove = (id: string, key = ours.key) => call("DELETE", `/${id}`, undefined, key);

describe("creating", () => {
  test("the required fields alone make an enabled destination of the organisation that gets every trace", async () => {
    const made = await create();
    expect(made).toEqual({
      id: expect.any(String),
      name: "Langfuse",
      type: "langfuse",
      config: { publicKey: "pk-lf-1", secretKey: secretMask, baseUrl: "https://cloud.langfuse.com" },
      org_id: ours.orgId,
      workspace_id: null,
      privacy_mode: false,
      sampling_rate: "1",
      enabled: true,
      api_key_filter: null,
      filter_rules: null,
      residency: null,
      health: {
        state: "active",
        consecutive_failures: 0,
        failing_since: null,
        paused_until: null,
        stopped_reason: null,
        last_error: null,
        last_delivered_at: null,
        dropped: 0,
      },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await answer(One, await call("GET", `/${made.id}`))).data).toEqual(made);
    await remove(made.id);
  });

  test("every field is returned as it was sent; names may be in snake_case", async () => {
    const filter = {
      enabled: true,
      groups: [{ logic: "or", rules: [{ field: "output", operator: "regex", value: "(a+)+$" }] }],
    };
    const sent = {
      workspace_id: ours.workspaceId,
      privacy_mode: true,
      sampling_rate: "0.0001",
      enabled: false,
      api_key_filter: [ours.keyId],
      filter_rules: filter,
      residency: "de",
    };
    const made = await create({
      ...sent,
      config: {
        public_key: "pk",
        secret_key: "sk",
        base_url: "https://example.com/",
        headers: "X-A=1,x-b=2",
      },
    });
    expect(made).toMatchObject(sent);
    expect(made.config).toEqual({
      publicKey: "pk",
      secretKey: secretMask,
      baseUrl: "https://example.com",
      headers: { "x-a": secretMask, "x-b": secretMask },
    });
    await remove(made.id);
  });

  test("neither the stored row nor the audit log holds a secret in clear text", async () => {
    const made = await create({ name: "Sealed" });
    const { prisma } = server.services.database;
    const rows = await prisma.destination.findMany({ where: { id: made.id } });
    const audit = await prisma.audit_entry.findMany({ where: { subject_id: made.id } });
    expect(audit).toHaveLength(1);
    const stored = JSON.stringify([rows, audit], (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(stored).toContain("pk-lf-1");
    expect(stored).not.toContain("very-secret");
    await remove(made.id);
  });

  test.each([
    ["name", { name: " " }],
    ["type", { type: "carrier-pigeon" }],
    ["config", { config: "none" }],
    ["config.secretKey", { config: { publicKey: "pk" } }],
    ["config.colour", { config: { ...least.config, colour: "blue" } }],
    ["config.secretKey", { config: { publicKey: "pk", secretKey: secretMask } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "langfuse.example" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "http://example.com" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://example.com:8443" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://user:secret@example.com" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://127.0.0.1" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://2130706433" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://[::ffff:10.0.0.1]" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://169.254.169.254" } }],
    ["config.baseUrl", { config: { ...least.config, baseUrl: "https://localhost" } }],
    ["config.headers.host", { config: { ...least.config, headers: { host: "evil.example" } } }],
    ["config.headers.X-Forwarded-For", { config: { ...least.config, headers: { "X-Forwarded-For": "1" } } }],
    ["config.headers.Cookie", { config: { ...least.config, headers: { Cookie: "a=b" } } }],
    ["config.headers.x-a", { config: { ...least.config, headers: { "x-a": "b\r\nx-evil: 1" } } }],
    ["sampling_rate", { sampling_rate: "0" }],
    ["sampling_rate", { sampling_rate: "1.01" }],
    ["sampling_rate", { sampling_rate: "0.00001" }],
    ["sampling_rate", { sampling_rate: "half" }],
    ["api_key_filter.0", { api_key_filter: ["mine"] }],
    ["residency", { residency: "europe" }],
    ["colour", { colour: "blue" }],
    [
      "filter_rules.groups.0.rules.0.operator",
      { filter_rules: { groups: [{ rules: [{ field: "model", operator: "like", value: "x" }] }] } },
    ],
    [
      "filter_rules.groups.0.rules.0.value",
      { filter_rules: { groups: [{ rules: [{ field: "model", operator: "equals" }] }] } },
    ],
    [
      "filter_rules.groups.0.rules.0.value",
      { filter_rules: { groups: [{ rules: [{ field: "model", operator: "regex", value: "(a)\\1" }] }] } },
    ],
  ])("a bad %s is refused, naming the field (%j)", async (param, body) => {
    const error = await refusal(await call("POST", "", { ...least, ...body }), 400, param);
    expect(error.message).toContain(param);
  });

  test("a host that the operator allows may be reached by http and on any port", async () => {
    const config = { endpoint: "http://collector.internal:4318" };
    const made = await create({ type: "otel-collector", name: "Inside", config });
    expect(made.config).toMatchObject(config);
    await remove(made.id);
  });

  test.each([
    ["org_id", theirs.orgId],
    ["workspace_id", theirs.workspaceId],
    ["api_key_filter", [theirs.keyId]],
  ])("a foreign %s is answered like an unknown one", async (param, foreign) => {
    const messages = [];
    for (const id of [foreign, Array.isArray(foreign) ? [nobody] : nobody]) {
      messages.push((await refusal(await call("POST", "", { ...least, [param]: id }), 404, param)).message);
    }
    expect(messages[0]).toBe(messages[1]);
  });

  test("a name is unique for owner and type, and an owner has at most five of a type", async () => {
    const first = await create();
    await refusal(await call("POST", "", { ...least, name: "LANGFUSE" }), 409, "name");
    const elsewhere = await create({ workspace_id: ours.workspaceId });
    const others = await Promise.all(["a", "b", "c"].map((name) => create({ name })));
    await refusal(await call("POST", "", { ...least, name: "d" }), 409, "type");
    for (const { id } of [first, elsewhere, ...others]) await remove(id);
  });

  test("of ten created at the same time five succeed", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => call("POST", "", { ...least, name: `n${at}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(5).fill(201),
      ...Array<number>(5).fill(409),
    ]);
    for (const response of answers.filter(({ status }) => status === 201)) {
      await remove(One.parse(await response.json()).data.id);
    }
  });
});

describe("changing", () => {
  test("config is merged by key: masked or absent secrets stay, null removes a field", async () => {
    const made = await create({ config: { ...least.config, headers: { "x-a": "one", "x-b": "two" } } });
    const change = async (body: object) => (await answer(One, await call("PATCH", `/${made.id}`, body))).data;
    expect(await change({})).toEqual(made);
    await change({ config: { publicKey: "pk-2", secretKey: secretMask, headers: { "x-a": secretMask } } });
    const { sealer, database } = server.services;
    const stored = async () => {
      const row = await database.prisma.destination.findUniqueOrThrow({ where: { id: made.id } });
      const place = { table: "destination", column: "secrets", rowId: row.id, orgId: row.org_id };
      return { ...(row.config as object), ...JSON.parse(sealer.open(row.secrets, place)) };
    };
    expect(await stored()).toEqual({
      publicKey: "pk-2",
      secretKey: "sk-lf-very-secret-value",
      baseUrl: "https://cloud.langfuse.com",
      headers: { "x-a": "one" },
    });
    const changed = await change({ config: { headers: null, secretKey: "sk-new" }, sampling_rate: 0.5 });
    expect(changed).toMatchObject({ sampling_rate: "0.5", config: { secretKey: secretMask } });
    expect(await stored()).toEqual({
      publicKey: "pk-2",
      secretKey: "sk-new",
      baseUrl: "https://cloud.langfuse.com",
    });
    await remove(made.id);
  });

  test("a secret is never sent to another host: it must be entered again", async () => {
    const made = await create();
    const path = `/${made.id}`;
    const elsewhere = { baseUrl: "https://example.com" };
    await refusal(await call("PATCH", path, { config: elsewhere }), 400, "config.secretKey");
    const masked = { config: { ...elsewhere, secretKey: secretMask } };
    await refusal(await call("PATCH", path, masked), 400, "config.secretKey");
    const sent = { config: { ...elsewhere, secretKey: "sk-again" } };
    expect((await call("PATCH", path, sent)).status).toBe(200);
    await remove(made.id);
  });

  test.each(["type", "org_id"])("%s cannot be changed", async (field) => {
    const made = await create();
    const value = field === "type" ? "webhook" : nobody;
    const error = await refusal(await call("PATCH", `/${made.id}`, { [field]: value }), 400, field);
    expect(error.message).toContain("cannot be changed");
    await remove(made.id);
  });

  test("can be deleted once; a foreign destination is answered like an unknown one", async () => {
    const made = await create();
    const foreign = await create({}, theirs.key);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? {} : undefined;
      const messages = [];
      for (const id of [foreign.id, nobody]) {
        messages.push((await refusal(await call(method, `/${id}`, body), 404, "id")).message);
      }
      expect(messages[0]).toBe(messages[1]);
    }
    for (const path of [`/${foreign.id}/test`, `/${nobody}/test`])
      await refusal(await call("POST", path), 404, "id");
    await refusal(await call("GET", `/${foreign.id}/deliveries`), 404, "id");
    expect(await (await remove(made.id)).json()).toEqual({ data: { success: true } });
    await refusal(await remove(made.id), 404, "id");
    await remove(foreign.id, theirs.key);
  });
});

describe("reading", () => {
  test("lists by workspace and page, newest first", async () => {
    const made = [
      await create({ name: "one" }),
      await create({ name: "two", workspace_id: ours.workspaceId }),
    ];
    const list = async (query: string) =>
      (await answer(dataList(Destination), await call("GET", query))).data.map(({ name }) => name);
    expect(await list("")).toEqual(["two", "one"]);
    expect(await list(`?workspace_id=${ours.workspaceId}`)).toEqual(["two", "one"]);
    expect(await list(`?workspace_id=${nobody}`)).toEqual(["one"]);
    expect(await list("?limit=1&offset=1")).toEqual(["one"]);
    for (const { id } of made) await remove(id);
  });

  test("every type describes its config and which fields are secret", async () => {
    const { data: types } = await answer(dataList(DestinationType), await call("GET", "/types"));
    const langfuse = types.find(({ type }) => type === "langfuse");
    expect(langfuse?.secrets).toEqual(["secretKey", "headers"]);
    expect(langfuse?.config_schema).toMatchObject({
      type: "object",
      required: ["publicKey", "secretKey"],
      additionalProperties: false,
      properties: { secretKey: { title: "Secret key", writeOnly: true, format: "password" } },
    });
    for (const { config_schema } of types) expect(z.fromJSONSchema(config_schema)).toBeDefined();
  });

  test("members and viewers can read but not change", async () => {
    const made = await create();
    for (const { key } of [viewer, member]) {
      expect((await call("GET", `/${made.id}`, undefined, key)).status).toBe(200);
      await refusal(await call("POST", "", least, key), 403, null);
      await refusal(await call("PATCH", `/${made.id}`, { enabled: false }, key), 403, null);
      await refusal(await call("DELETE", `/${made.id}`, undefined, key), 403, null);
      await refusal(await call("POST", `/${made.id}/test`, undefined, key), 403, null);
    }
    await remove(made.id);
  });
});
