import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { EuResidency } from "#contract/eu-residency.ts";
import { DraftDryRunRequest, DryRunResult } from "#contract/routing-rule.ts";
import { authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { permissionsOf } from "#server/access/permissions.ts";
import { dryRunDraft } from "#server/policy/index.ts";
import type { TestOrganisation } from "#test/factories.ts";
import { join, newOrganisation } from "./people.ts";
import { answer, refusal, ruleClient } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database, inference } = server.services;
const ours = await newOrganisation(server);
const admin = await join(server, ours, "admin", ours.workspaceId);
const nobody = "0190a000-0000-7000-8000-000000000000";
const { call, create } = ruleClient(server, ours.key);

describe("dry run and country groups beside `/{id}`", () => {
  test("`/eu-residency` is the reference list, not a rule", async () => {
    const { eu_countries, eea_countries, eu_adequate_countries, as_of } = (
      await answer(data(EuResidency), await call("GET", "/eu-residency"))
    ).data;
    expect([eu_countries.length, eea_countries.length, eu_adequate_countries.length]).toEqual([27, 3, 16]);
    expect(eu_countries).toContainEqual({ code: "GR", name: "Greece" });
    expect(eea_countries.map(({ code }) => code)).toEqual(["IS", "LI", "NO"]);
    expect(eu_adequate_countries.find(({ code }) => code === "US")?.note).toContain("Data Privacy Framework");
    expect(as_of).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test.each([
    ["GET", "/dry-run"],
    ["PATCH", "/dry-run"],
    ["DELETE", "/eu-residency"],
    ["POST", "/eu-residency"],
    ["PUT", ""],
    ["POST", `/${nobody}`],
  ])("%s %s is not a method of that path", async (method, path) => {
    const response = await call(method, path, method === "GET" || method === "DELETE" ? undefined : {});
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBeTruthy();
    await response.body?.cancel();
  });

  test("`{}` answers for every model", async () => {
    const run = (await answer(data(DryRunResult), await call("POST", "/dry-run", {}))).data;
    expect(run.summary.total_models).toBe(server.services.catalogues.of(null).models.size);
    expect(run.results).toHaveLength(run.summary.total_models);
    const served = run.results.filter(({ provider_count }) => provider_count > 0);
    expect(served).toHaveLength(run.summary.models_with_providers);
    expect(run.rule_applied).toBeNull();
    expect(run.effective_preferences).toEqual({});
    for (const { model, provider_count, reason } of run.results)
      expect(reason === null, `${model}: ${reason?.message}`).toBe(provider_count > 0);
    const bare = run.results.filter(({ provider_count, excluded }) => provider_count + excluded.length === 0);
    expect(bare.map(({ reason }) => reason?.code)).toEqual(bare.map(() => "no_endpoints"));
    expect(bare.length).toBeGreaterThan(0);
  });

  test("rules that exclude every provider, and lists longer than a request allows, are no error", async () => {
    const names = (prefix: string) => Array.from({ length: 100 }, (_, at) => `${prefix}-${at}`);
    const made = [
      await create({ name: "fp8", scope: "org", provider: { quantizations: ["fp8"], ignore: names("a") } }),
      await create({ name: "near", scope: "org", provider: { data_residency: "de", ignore: names("b") } }),
    ];
    const preferences = {
      quantizations: ["fp16"],
      data_residency: "fr",
      ignore: names("c"),
      only: names("d"),
    };
    const body = { model: "sandbox/chat", preference_overrides: preferences };
    const run = (await answer(data(DryRunResult), await call("POST", "/dry-run", body))).data;
    expect(run.effective_preferences).toMatchObject({ quantizations: [], data_residency: "de+fr" });
    expect(run.effective_preferences.ignore).toHaveLength(300);
    expect(run.results).toMatchObject([{ provider_count: 0, reason: { code: "constraint_filtered" } }]);
    expect(run.results[0]?.reason?.message).toMatch(/^No provider meets the rules for this request: /);
    for (const { id } of made) await call("DELETE", `/${id}`);
  });

  test("a visible rule of a workspace or of another person's key is applied as it would be for them", async () => {
    const member = await join(server, ours, "member", ours.workspaceId);
    const rules = [
      await create({
        name: "Theirs",
        scope: "api_key",
        api_key_id: member.keyId,
        provider: { only: ["sandbox-fr"] },
      }),
      await create({
        name: "Research",
        scope: "workspace",
        workspace_id: ours.workspaceId,
        provider: { only: ["sandbox-de"] },
      }),
      await create({
        name: "There",
        scope: "org",
        workspace_id: ours.workspaceId,
        provider: { only: ["sandbox-us"] },
      }),
    ];
    for (const { id, name } of rules) {
      expect((await call("GET", `/${id}`)).status).toBe(200);
      const body = { rule_id: id, model: "sandbox/chat" };
      const run = (await answer(data(DryRunResult), await call("POST", "/dry-run", body))).data;
      expect(run.rule_applied).toEqual({ id, name });
      expect(
        run.results[0]?.excluded.flatMap(({ refusals }) => refusals.map(({ set_by }) => set_by.rule_id)),
      ).toContain(id);
    }
    // What binds a key is seen by its person and by administrators.
    const other = await join(server, ours, "member");
    await refusal(await call("POST", "/dry-run", { rule_id: rules[0]?.id }, other.key), 404, "rule_id");
    for (const { id } of rules) await call("DELETE", `/${id}`);
  });

  test("models are answered in their order, unknown models with an empty result", async () => {
    const body = { models: ["no/such", "sandbox/chat"], preference_overrides: { sort: "price" } };
    const run = (await answer(data(DryRunResult), await call("POST", "/dry-run", body))).data;
    expect(run.results.map(({ model, provider_count }) => [model, provider_count])).toEqual([
      ["no/such", 0],
      ["sandbox/chat", 3],
    ]);
    expect(run.effective_preferences).toEqual({ sort: "price" });
    expect(run.summary).toEqual({ total_models: 2, models_with_providers: 1 });
  });

  test("for unknown models it still shows the named rule and the requested preferences", async () => {
    const rule = await create({ name: "Named", enabled: false, provider: { data_residency: "eu" } });
    const body = { rule_id: rule.id, model: "no/such", preference_overrides: { sort: "price" } };
    const run = (await answer(data(DryRunResult), await call("POST", "/dry-run", body))).data;
    expect(run).toMatchObject({
      rule_applied: { id: rule.id, name: "Named" },
      effective_preferences: { data_residency: "eu", sort: "price" },
      results: [{ model: "no/such", provider_count: 0 }],
    });
    await call("DELETE", `/${rule.id}`);
  });

  test("a named rule, even a disabled one, is applied, and its models are answered", async () => {
    const rule = await create({
      name: "Draft",
      enabled: false,
      models: ["sandbox/chat"],
      provider: { only: ["Sandbox-FR"] },
    });
    for (const by of [{ rule_id: rule.id }, { rule_name: "dRAFT" }]) {
      const run = (await answer(data(DryRunResult), await call("POST", "/dry-run", by))).data;
      expect(run.rule_applied).toEqual({ id: rule.id, name: "Draft" });
      expect(run.results).toMatchObject([
        { model: "sandbox/chat", providers: ["sandbox-fr"], provider_count: 1 },
      ]);
      expect(run.results[0]?.excluded[0]).toMatchObject({
        field: "only",
        set_by: { scope: "user", rule_id: rule.id, rule_name: "Draft" },
        would_admit: ["Sandbox-FR", expect.any(String)],
      });
    }
    await call("DELETE", `/${rule.id}`);
  });

  test("the widest rules apply to every caller; each reason names the rule that set it", async () => {
    const org = await create({ name: "No training", scope: "org", provider: { data_collection: "deny" } });
    const workspace = await create({
      name: "Keeps nothing",
      scope: "workspace",
      workspace_id: ours.workspaceId,
      provider: { max_retention_days: 0 },
    });
    const run = (
      await answer(data(DryRunResult), await call("POST", "/dry-run", { model: "sandbox/chat" }, admin.key))
    ).data;
    expect(run.results[0]?.providers).toEqual(["sandbox-fr"]);
    expect(run.rule_applied?.name).toBe("Keeps nothing");
    expect(run.effective_preferences).toEqual({ data_collection: "deny", max_retention_days: 0 });
    const reasons = run.results[0]?.excluded.flatMap(({ provider, refusals }) =>
      refusals.map(({ field, set_by }) => [provider, field, set_by.rule_name]),
    );
    expect(reasons).toEqual([
      ["sandbox-de", "max_retention_days", "Keeps nothing"],
      ["sandbox-us", "data_collection", "No training"],
      ["sandbox-us", "max_retention_days", "Keeps nothing"],
    ]);
    for (const { id } of [org, workspace]) await call("DELETE", `/${id}`);
  });

  test.each([
    ["rule_id", 404, { rule_id: nobody }],
    ["rule_name", 404, { rule_name: "nobody's" }],
    ["rule_id", 400, { rule_id: "x" }],
    ["models", 400, { models: [] }],
    ["preference_overrides.data_residency", 400, { preference_overrides: { data_residency: "europe" } }],
    ["preference_overrides.eu_own", 400, { preference_overrides: { eu_own: true } }],
  ])("a bad %s is a %i that names it", async (param, status, body) => {
    await refusal(await call("POST", "/dry-run", { model: "sandbox/chat", ...body }), status, param);
  });
});

const personOf = ({ orgId }: TestOrganisation, userId: string): Caller => ({
  kind: "person",
  orgId,
  userId,
  email: "someone@test.example",
  role: "owner",
  permissions: permissionsOf("owner"),
});

const tryDraft = (caller: Caller, request: object) =>
  dryRunDraft(
    database,
    { router: inference.router(caller.orgId), catalogue: inference.catalogue(caller.orgId) },
    authorize(caller, "routing:read", "workspace"),
    DraftDryRunRequest.parse({ model: "sandbox/chat", ...request }),
  );

test("a draft is answered as if it were stored, and nothing is stored", async () => {
  const ours = await newOrganisation(server);
  const caller = personOf(ours, ours.userId);
  const rule = { name: "EU", scope: "org", provider: { data_residency: "eu" } };
  const { results, rule_applied } = await tryDraft(caller, { rule });
  expect(results[0]?.providers.toSorted()).toEqual(["sandbox-de", "sandbox-fr"]);
  expect(results[0]?.excluded).toMatchObject([
    { provider: "sandbox-us", field: "data_residency", would_admit: null, set_by: { rule_name: "EU" } },
  ]);
  expect(rule_applied?.name).toBe("EU");
  expect(await database.prisma.routing_rule.count({ where: { org_id: ours.orgId } })).toBe(0);
});

test("a draft that loosens a stored rule shows what it would admit, also while the rule is disabled", async () => {
  const ours = await newOrganisation(server);
  const caller = personOf(ours, ours.userId);
  const { create } = ruleClient(server, ours.key);
  const strict = { name: "Narrow", scope: "org", provider: { only: ["sandbox-fr"] } };
  const stored = await create(strict);
  const loose = { ...strict, provider: { only: ["sandbox-fr", "sandbox-de"] } };
  const added = await tryDraft(caller, { rule: { ...loose, name: "Another" } });
  expect(added.results[0]?.providers).toEqual(["sandbox-fr"]);
  for (const enabled of [true, false]) {
    const replaced = await tryDraft(caller, { rule: { ...loose, enabled }, rule_id: stored.id });
    expect(replaced.results[0]?.providers.toSorted()).toEqual(["sandbox-de", "sandbox-fr"]);
  }
});

test("a draft for a key is tried as that key, with the rules of its owner", async () => {
  const ours = await newOrganisation(server);
  const colleague = await join(server, ours, "member");
  const { create } = ruleClient(server, colleague.key);
  await create({ name: "Mine", provider: { ignore: ["sandbox-fr"] } });
  const rule = {
    name: "Key",
    scope: "api_key",
    api_key_id: colleague.keyId,
    provider: { data_residency: "eu" },
  };
  const { results } = await tryDraft(personOf(ours, ours.userId), { rule });
  expect(results[0]?.providers).toEqual(["sandbox-de"]);
});

test("a draft cannot replace a rule of another organisation", async () => {
  const [ours, theirs] = [await newOrganisation(server), await newOrganisation(server)];
  const { create } = ruleClient(server, theirs.key);
  const { id } = await create({ name: "Theirs" });
  const drafted = tryDraft(personOf(ours, ours.userId), { rule: { name: "x" }, rule_id: id });
  await expect(drafted).rejects.toMatchObject({ code: "NOT_FOUND" });
});
