import { describe, expect, test } from "vitest";
import { data, dataList } from "#contract/common.ts";
import { DryRunResult, RoutingRule } from "#contract/routing-rule.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, Rule, refusal, ruleClient } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const ours = await newOrganisation(server);
const theirs = await newOrganisation(server);
const [member, viewer] = [await join(server, ours, "member"), await join(server, ours, "viewer")];
const nobody = "0190a000-0000-7000-8000-000000000000";
const { call, create } = ruleClient(server, ours.key);

const list = async (query = "", key?: string) =>
  (await answer(dataList(RoutingRule), await call("GET", query, undefined, key))).data.map(
    ({ name }) => name,
  );

/** Every preference of the specification and every extension, each with a value that is allowed. */
const everyPreference = {
  order: ["sandbox-de"],
  ignore: ["sandbox-us"],
  only: ["sandbox-de", "sandbox-fr/x"],
  allow_fallbacks: false,
  sort: "price",
  require_parameters: true,
  quantizations: [
    "int4",
    "int8",
    "fp4",
    "fp6",
    "fp8",
    "fp16",
    "bf16",
    "fp32",
    "mxfp4",
    "nvfp4",
    "mxfp8",
    "unknown",
  ],
  data_collection: "deny",
  data_residency: "eu",
  max_retention_days: 30,
  eu_owned: true,
  zdr: false,
  max_price: { prompt: 1, completion: 2.5, request: 0 },
  preferred_min_throughput: { p50: 20, p90: 5 },
  preferred_max_latency: 2,
};

describe("creating", () => {
  test("a name alone creates a rule of the caller that is enabled and applied automatically", async () => {
    const rule = await create({ name: "Least" });
    expect(rule).toEqual({
      id: expect.any(String),
      name: "Least",
      description: null,
      scope: "user",
      user_id: ours.userId,
      org_id: ours.orgId,
      workspace_id: null,
      api_key_id: null,
      model: null,
      models: null,
      provider: null,
      enabled: true,
      auto_apply: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      problem: null,
    });
    await call("DELETE", `/${rule.id}`);
  });

  test("every field is returned as it was sent", async () => {
    const sent = {
      name: "Everything",
      description: "All there is",
      model: "sandbox/chat",
      models: ["sandbox/chat", "sandbox/embed:floor"],
      provider: everyPreference,
      enabled: false,
      auto_apply: false,
    };
    const rule = await create(sent);
    expect(rule).toMatchObject(sent);
    expect((await answer(Rule, await call("GET", `/${rule.id}`))).data).toEqual(rule);
    await call("DELETE", `/${rule.id}`);
  });

  test("a rule of scope org belongs to the organisation of its creator, named or not", async () => {
    for (const ids of [{}, { org_id: null }, { org_id: ours.orgId }]) {
      const rule = await create({ name: "Ours", scope: "org", enabled: false, ...ids });
      expect(rule).toMatchObject({ scope: "org", org_id: ours.orgId, workspace_id: null });
      await call("DELETE", `/${rule.id}`);
    }
  });

  test.each([
    ["org", { org_id: ours.orgId }, {}],
    ["workspace", { workspace_id: ours.workspaceId }, { workspace_id: ours.workspaceId }],
    ["api_key", { api_key_id: member.keyId }, { api_key_id: member.keyId }],
    ["user", { workspace_id: ours.workspaceId }, { workspace_id: ours.workspaceId }],
  ])("a rule of scope %s belongs to its scope", async (scope, ids, stored) => {
    const rule = await create({ name: `Of ${scope}`, scope, enabled: false, ...ids });
    expect(rule).toMatchObject({ scope, org_id: ours.orgId, user_id: ours.userId, ...stored });
    await call("DELETE", `/${rule.id}`);
  });

  test.each([
    ["user", {}, {}],
    ["user", { workspace_id: ours.workspaceId }, { workspace_id: ours.workspaceId }],
    ["org", { org_id: ours.orgId }, { org_id: ours.orgId }],
    ["org", { org_id: ours.orgId, workspace_id: ours.workspaceId }, { workspace_id: ours.workspaceId }],
    ["api_key", { api_key_id: member.keyId }, { api_key_id: member.keyId }],
    ["api_key", { api_key_id: member.keyId, org_id: ours.orgId }, { api_key_id: member.keyId }],
  ])("without a scope a rule has scope %s if it names %o", async (scope, ids, stored) => {
    const rule = await create({ name: "Of whom it names", enabled: false, ...ids });
    expect(rule).toMatchObject({ scope, ...stored });
    await call("DELETE", `/${rule.id}`);
  });

  test.each([
    ["name", { name: undefined }],
    ["name", { name: " " }],
    ["name", { name: "x".repeat(256) }],
    ["description", { description: "x".repeat(1001) }],
    ["scope", { scope: "everybody" }],
    ["workspace_id", { scope: "workspace" }],
    ["api_key_id", { scope: "api_key" }],
    ["org_id", { scope: "org", org_id: "ours" }],
    ["models", { models: [] }],
    ["models", { models: Array.from({ length: 21 }, (_, at) => `m/${at}`) }],
    ["enabled", { enabled: "yes" }],
    ["provider.data_residency", { provider: { data_residency: "europe" } }],
    ["provider.data_residency", { provider: { data_residency: "zz" } }],
    ["provider.sort", { provider: { sort: "exacto" } }],
    ["provider.quantizations.0", { provider: { quantizations: ["fp9"] } }],
    ["provider.data_collection", { provider: { data_collection: "maybe" } }],
    ["provider.max_retention_days", { provider: { max_retention_days: -1 } }],
    ["provider.max_retention_days", { provider: { max_retention_days: 1.5 } }],
    ["provider.eu_owned", { provider: { eu_owned: "true" } }],
    ["provider.only", { provider: { only: "mistral" } }],
    ["provider.data_residencey", { provider: { data_residencey: "eu" } }],
    ["provider.max_price.promt", { provider: { max_price: { promt: 1 } } }],
  ])("a bad %s is refused by name, with a hint", async (param, body) => {
    const error = await refusal(await call("POST", "", { name: "Bad", ...body }), 400, param);
    expect(error.message).toContain(param);
    expect(error.message.length).toBeGreaterThan(param.length + 4);
  });

  test.each([
    ["org_id", { scope: "org" }, theirs.orgId],
    ["workspace_id", { scope: "workspace" }, theirs.workspaceId],
    ["workspace_id", { scope: "user" }, theirs.workspaceId],
    ["api_key_id", { scope: "api_key" }, theirs.keyId],
  ])("a foreign %s (%o) is answered like an unknown one", async (param, body, foreign) => {
    const answers = [];
    for (const id of [foreign, nobody]) {
      const error = await refusal(
        await call("POST", "", { name: "Foreign", ...body, [param]: id }),
        404,
        param,
      );
      answers.push(error.message);
    }
    expect(answers[0]).toBe(answers[1]);
  });

  test("a name is unique for each owner, in any case", async () => {
    const first = await create({ name: "Twice", enabled: false });
    const error = await refusal(await call("POST", "", { name: "tWICE " }), 409, "name");
    expect(error.message).toContain("there is a rule of this name");
    const second = await create({ name: "Twice", scope: "org", enabled: false });
    for (const { id } of [first, second]) await call("DELETE", `/${id}`);
  });

  test("`only` and `ignore` may exclude every provider; the dry run shows it", async () => {
    const rule = await create({
      name: "Nothing left",
      auto_apply: false,
      provider: { only: ["sandbox-de"], ignore: ["sandbox-de"] },
    });
    const body = { rule_id: rule.id, model: "sandbox/chat" };
    const { results } = (await answer(data(DryRunResult), await call("POST", "/dry-run", body))).data;
    expect(results).toMatchObject([{ model: "sandbox/chat", provider_count: 0, providers: [] }]);
    const words = results[0]?.excluded.map(({ provider, excluded_by }) => [provider, excluded_by]);
    expect(words).toContainEqual(["sandbox-de", "ignored_providers"]);
    expect(words).toContainEqual(["sandbox-fr", "allowed_providers"]);
    await call("DELETE", `/${rule.id}`);
  });
});

describe("listing", () => {
  const made = async () => {
    const rules = [
      await create({ name: "own", enabled: false }),
      await create({ name: "own in workspace", workspace_id: ours.workspaceId, auto_apply: false }),
      await create({ name: "org", scope: "org", auto_apply: false }),
      await create({
        name: "workspace",
        scope: "workspace",
        workspace_id: ours.workspaceId,
        auto_apply: false,
      }),
      await create({ name: "key of member", scope: "api_key", api_key_id: member.keyId, auto_apply: false }),
      await create({ name: "of member", auto_apply: false }, member.key),
    ];
    await create({ name: "theirs", auto_apply: false }, theirs.key);
    return rules;
  };

  test("shows what the caller may see, newest first, with every filter and page", async () => {
    const rules = await made();
    expect(await list()).toEqual(["key of member", "workspace", "org", "own in workspace"]);
    expect(await list("?include_disabled=true")).toEqual([
      "key of member",
      "workspace",
      "org",
      "own in workspace",
      "own",
    ]);
    expect(await list("?include_disabled=0&scope=all")).toHaveLength(4);
    expect(await list("?scope=user&include_disabled=1")).toEqual(["own in workspace", "own"]);
    expect(await list("?enabled=false")).toEqual(["own"]);
    expect(await list("?enabled=true")).toHaveLength(4);
    expect(await list("?search=Work&include_disabled=1")).toEqual(["workspace", "own in workspace"]);
    expect(await list("?search=100%25")).toEqual([]);
    expect(await list("?scope=org")).toEqual(["org"]);
    expect(await list("?scope=workspace")).toEqual(["workspace"]);
    expect(await list("?scope=api_key")).toEqual(["key of member"]);
    expect(await list(`?workspace_id=${ours.workspaceId}`)).toHaveLength(4);
    expect(await list(`?workspace_id=${nobody}`)).toEqual(["key of member", "org"]);
    expect(await list("?limit=2")).toEqual(["key of member", "workspace"]);
    expect(await list("?limit=2&offset=2")).toEqual(["org", "own in workspace"]);
    const page = await answer(dataList(RoutingRule), await call("GET", "?limit=1&offset=99"));
    expect(page).toEqual({ data: [], total_count: 4 });
    expect(await list("", member.key)).toEqual(["of member", "key of member", "workspace", "org"]);
    expect(await list("", viewer.key)).toEqual(["workspace", "org"]);
    expect(await list("", theirs.key)).toEqual(["theirs"]);
    for (const { id } of rules)
      await call("DELETE", `/${id}`, undefined, id === rules[5]?.id ? member.key : ours.key);
    expect(await list("?include_disabled=true")).toEqual([]);
  });

  test.each([
    ["include_disabled", "yes"],
    ["include_disabled", ""],
    ["enabled", "yes"],
    ["search", ""],
    ["scope", "mine"],
    ["workspace_id", "research"],
    ["limit", "0"],
    ["limit", "101"],
    ["limit", "ten"],
    ["offset", "-1"],
  ])("the query %s=%s is refused by name", async (name, value) => {
    await refusal(await call("GET", `?${name}=${value}`), 400, name);
  });
});
