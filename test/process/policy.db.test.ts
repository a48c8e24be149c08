import { describe, expect, test } from "vitest";
import { raiseConfigVersion } from "#server/db/index.ts";
import { faultyModels } from "./overlay.ts";
import { join, newOrganisation } from "./people.ts";
import { policyClient, slugOf } from "./policy-client.ts";
import { eventsOf, startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({
    ladder: { fr: "ok", de: "ok", us: "ok" },
    "failing-first": { fr: "500", de: "ok" },
    "refused-first": { fr: "401", de: "ok" },
    measured: { de: "ok", us: "ok" },
    "all-failing": { fr: "429:200" },
  }),
});

const { complete, addRule } = policyClient(server);

describe("rules and live requests", () => {
  test("the header names the narrowest rule that applied, the record all of them with reasons", async () => {
    const ours = await newOrganisation(server);
    const org = await addRule(ours.key, { name: "EU", scope: "org", provider: { data_residency: "eu" } });
    const own = await addRule(ours.key, { name: "No Germany", provider: { ignore: ["sandbox-de"] } });
    const response = await complete(ours.key);
    expect(response.headers.get("x-provider-slug")).toBe("sandbox-fr");
    expect(response.headers.get("x-routing-rule-id")).toBe(own.id);
    expect(response.headers.has("x-model-variant")).toBe(false);
    await response.text();
    const { decision } = await server.record(response.headers.get("x-generation-id"));
    expect(decision.models).toMatchObject([
      {
        rules: [org.id, own.id],
        ranked: ["sandbox-fr:test/ladder"],
        excluded: [
          { endpoint: "sandbox-de:test/ladder", excluded_by: "ignored_providers", set_by: own.id },
          { endpoint: "sandbox-us:test/ladder", excluded_by: "data_region", set_by: org.id },
        ],
      },
    ]);
  });

  test("a refusal names the rule that caused it, and is not retryable", async () => {
    const ours = await newOrganisation(server);
    const rule = await addRule(ours.key, {
      name: "Poland",
      scope: "org",
      provider: { data_residency: "pl" },
    });
    const response = await complete(ours.key);
    expect(response.status).toBe(503);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(response.headers.get("x-routing-rule-id")).toBe(rule.id);
    const { error } = (await response.json()) as { error: { metadata: Record<string, unknown> } };
    expect(error.metadata).toMatchObject({
      availability: {
        code: "constraint_filtered",
        retryable: false,
        requested_models: ["test/ladder"],
        excluded_by: ["data_region"],
      },
      excluded: ["fr", "de", "us"].map((site) => ({
        provider: `sandbox-${site}`,
        endpoint: `sandbox-${site}:test/ladder`,
        field: "data_residency",
        wanted: "pl",
        set_by: { scope: "org", rule_id: rule.id, rule_name: "Poland" },
      })),
    });
  });

  test.each([
    ["/completions", { prompt: "Where to?" }],
    ["/chat/completions", { messages: [{ role: "user", content: "Where to?" }] }],
    ["/responses", { input: "Where to?" }],
    ["/responses", { input: "Where to?", background: true }],
    ["/responses", { input: "Where to?", stream: true }],
  ])("a refusal by rules is not reported as an outage: %s", async (path, asked) => {
    const { key } = await newOrganisation(server);
    await addRule(key, { name: "Near", scope: "org", provider: { data_residency: "fr" } });
    const preferences = { max_price: { prompt: 0 }, ignore: ["sandbox-us"] };
    const response = await server.post(
      path,
      { model: "test/ladder", ...asked, provider: preferences },
      { key },
    );
    expect(response.status).toBe(503);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(response.headers.get("retry-after")).toBeNull();
    const { error } = (await response.json()) as { error: object };
    expect(error).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: "No provider meets the rules for this request: data residency (2 excluded), price (1)",
      metadata: { status: 503, error_type: "no_eligible_provider" },
    });
  });

  test("a variant is reported, and an explicit preference wins over it", async () => {
    const { key } = await newOrganisation(server);
    const floor = await complete(key, { model: "test/ladder:floor" });
    expect(floor.headers.get("x-model-variant")).toBe("floor");
    expect(floor.headers.get("x-routing-strategy")).toBe("lowest-cost");
    expect(floor.headers.get("x-provider-slug")).toBe("sandbox-fr");
    await floor.text();
    const asked = await complete(key, { model: "test/ladder:floor", provider: { sort: "latency" } });
    expect(asked.headers.get("x-routing-strategy")).toBe("lowest-latency");
    await asked.text();
  });

  test("a disabled rule and a rule of another organisation cannot be named", async () => {
    const [ours, theirs] = [await newOrganisation(server), await newOrganisation(server)];
    const disabled = await addRule(ours.key, { name: "Off", enabled: false });
    const foreign = await addRule(theirs.key, { name: "Theirs" });
    for (const body of [{ rule_id: disabled.id }, { rule_id: foreign.id }, { rule_name: "Off" }]) {
      const response = await complete(ours.key, body);
      const { error } = (await response.json()) as { error: { param: string } };
      expect([response.status, error.param]).toEqual([404, Object.keys(body)[0]]);
    }
  });

  test("a rule sets the model of a request without one; without both it is a 400", async () => {
    const ours = await newOrganisation(server);
    const refused = await complete(ours.key, { model: undefined });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: "model" } }]);
    await addRule(ours.key, { name: "To be named", models: ["test/ladder"], auto_apply: false });
    const response = await complete(ours.key, { model: undefined, rule_name: "to be named" });
    expect(response.headers.get("x-model-used")).toBe("test/ladder");
    await response.text();
  });

  test("the rules of a workspace apply only to keys of that workspace", async () => {
    const ours = await newOrganisation(server);
    const inside = await join(server, ours, "member", ours.workspaceId);
    await addRule(ours.key, {
      name: "Germany",
      scope: "workspace",
      workspace_id: ours.workspaceId,
      provider: { data_residency: "de" },
    });
    const cheapest = { provider: { sort: "price" } };
    expect(await slugOf(complete(inside.key, cheapest))).toBe("sandbox-de");
    expect(await slugOf(complete(ours.key, cheapest))).toBe("sandbox-fr");
  });
});

describe("a rule that is limited to a workspace", () => {
  test.each(["user", "org"])(
    "applies only to requests of its scope %s from that workspace",
    async (scope) => {
      const ours = await newOrganisation(server);
      const { services } = server;
      await addRule(ours.key, {
        name: "Germany",
        scope,
        workspace_id: ours.workspaceId,
        provider: { data_residency: "de" },
      });
      const cheapest = { provider: { sort: "price" } };
      expect(await slugOf(complete(ours.key, cheapest))).toBe("sandbox-fr");
      await services.database.prisma.api_key.updateMany({
        where: { id: ours.keyId },
        data: { workspace_id: ours.workspaceId },
      });
      await services.database.transaction((tx) => raiseConfigVersion(tx));
      await services.refreshSnapshot();
      expect(await slugOf(complete(ours.key, cheapest))).toBe("sandbox-de");
    },
  );
});

describe("routing by recent results", () => {
  test("a session stays with its provider, by body or header", async () => {
    const { key } = await newOrganisation(server);
    const first = await slugOf(complete(key, { session_id: "s1", provider: { only: ["sandbox-us"] } }));
    expect(first).toBe("sandbox-us");
    for (let at = 0; at < 8; at++) {
      const byHeader = at % 2 === 1;
      const [body, headers] = byHeader ? [{}, { "x-session-id": "s1" }] : [{ session_id: "s1" }, {}];
      expect(await slugOf(complete(key, body, headers as Record<string, string>))).toBe("sandbox-us");
    }
    const other = await newOrganisation(server);
    const served = new Set<string | null>();
    for (let at = 0; at < 24; at++)
      served.add(await slugOf(complete(other.key, { session_id: `other ${at}` })));
    expect(served.size).toBeGreaterThan(1);
  });

  test("an endpoint that failed is tried last for a while, though it is the cheapest", async () => {
    const { key } = await newOrganisation(server);
    const ask = () => complete(key, { model: "test/failing-first", provider: { sort: "price" } });
    const [first, second] = [await ask(), await ask()];
    expect(first.headers.get("x-fallback-count")).toBe("1");
    expect(second.headers.has("x-fallback-count")).toBe(false);
    for (const response of [first, second]) {
      expect(response.headers.get("x-provider-slug")).toBe("sandbox-de");
      await response.text();
    }
  });

  test("the only endpoint is never excluded, however it fails", async () => {
    const { key } = await newOrganisation(server);
    for (let at = 0; at < 3; at++) {
      const response = await complete(key, { model: "test/all-failing" });
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "200"]);
      await response.text();
    }
  });

  test("a refused credential does not count against the endpoint", async () => {
    const { key } = await newOrganisation(server);
    for (let at = 0; at < 2; at++) {
      const response = await complete(key, { model: "test/refused-first", provider: { sort: "price" } });
      expect(response.headers.get("x-fallback-count")).toBe("1");
      await response.text();
    }
  });

  test("streams measure latency and throughput, which then affect the ranking", async () => {
    const { key } = await newOrganisation(server);
    for (const site of ["de", "us"]) {
      const provider = { only: [`sandbox-${site}`] };
      await eventsOf(await complete(key, { model: "test/measured", stream: true, max_tokens: 64, provider }));
    }
    const { statistics } = server.services.inference;
    expect(statistics.signals("sandbox-de:test/measured").latency?.p50).toBeGreaterThan(0);
    expect(statistics.signals("sandbox-de:test/measured").throughput?.p50).toBeGreaterThan(0);
    expect(statistics.signals("sandbox-de:test/measured").health).toBe(1);
    const ranked = await complete(key, { model: "test/measured", provider: { sort: "latency" } });
    expect(ranked.headers.get("x-routing-strategy")).toBe("lowest-latency");
    await ranked.text();
  });
});
