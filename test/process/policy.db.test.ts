import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { SimulationResult } from "#contract/simulation.ts";
import { raiseConfigVersion } from "#server/db/index.ts";
import { generationRow } from "#test/factories.ts";
import { faultyModels } from "./overlay.ts";
import { join, newOrganisation } from "./people.ts";
import { eventsOf, startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({
    ladder: { fr: "ok", de: "ok", us: "ok" },
    "failing-first": { fr: "500", de: "ok" },
    "refused-first": { fr: "401", de: "ok" },
    fallback: { fr: "500", de: "ok" },
    measured: { de: "ok", us: "ok" },
    "all-failing": { fr: "429:200" },
  }),
});

const complete = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  server.post(
    "/completions",
    { model: "test/ladder", prompt: "Where to?", max_tokens: 4, ...body },
    { key, headers },
  );

const slugOf = async (response: Promise<Response>): Promise<string | null> => {
  const { headers, body } = await response;
  await body?.cancel();
  return headers.get("x-provider-slug");
};

const addRule = async (key: string, body: object): Promise<{ id: string; name: string }> => {
  const response = await server.post("/routing-rules", body, { key });
  expect(response.status).toBe(201);
  return ((await response.json()) as { data: { id: string; name: string } }).data;
};

describe("rules and live requests", () => {
  test("the narrowest rule with a say stands in the header, all of them in the record with the reasons", async () => {
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

  test("a refusal says which rule did it, and is not worth another try", async () => {
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
  ])("a refusal by rules is no outage, whatever was asked for: %s", async (path, asked) => {
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

  test("a variant is told, and what is asked outright wins over it", async () => {
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

  test("a rule made disabled, invisible or for somebody else cannot be named", async () => {
    const [ours, theirs] = [await newOrganisation(server), await newOrganisation(server)];
    const disabled = await addRule(ours.key, { name: "Off", enabled: false });
    const foreign = await addRule(theirs.key, { name: "Theirs" });
    for (const body of [{ rule_id: disabled.id }, { rule_id: foreign.id }, { rule_name: "Off" }]) {
      const response = await complete(ours.key, body);
      const { error } = (await response.json()) as { error: { param: string } };
      expect([response.status, error.param]).toEqual([404, Object.keys(body)[0]]);
    }
  });

  test("a rule gives the model to a request without; nobody giving one is a 400", async () => {
    const ours = await newOrganisation(server);
    const refused = await complete(ours.key, { model: undefined });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: "model" } }]);
    await addRule(ours.key, { name: "Preset", models: ["test/ladder"], auto_apply: false });
    const response = await complete(ours.key, { model: undefined, rule_name: "preset" });
    expect(response.headers.get("x-model-used")).toBe("test/ladder");
    await response.text();
  });

  test("the rules of a workspace bind the keys of that workspace only", async () => {
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

describe("a rule that is confined to a workspace", () => {
  test.each(["user", "org"])(
    "binds the requests of its scope %s from there, and no others",
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

describe("what was seen lately", () => {
  test("a session stays where it was served, by body or header", async () => {
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

  test("an endpoint that failed is asked last for a while, though it is the cheapest", async () => {
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

  test("the last endpoint never falls out, however it fails", async () => {
    const { key } = await newOrganisation(server);
    for (let at = 0; at < 3; at++) {
      const response = await complete(key, { model: "test/all-failing" });
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "200"]);
      await response.text();
    }
  });

  test("a credential of ours that is refused does not count against the endpoint", async () => {
    const { key } = await newOrganisation(server);
    for (let at = 0; at < 2; at++) {
      const response = await complete(key, { model: "test/refused-first", provider: { sort: "price" } });
      expect(response.headers.get("x-fallback-count")).toBe("1");
      await response.text();
    }
  });

  test("streams measure latency and throughput, which then rank", async () => {
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

describe("simulation", () => {
  const simulate = async (key: string, body: object) => {
    const response = await server.post("/routing-rules/simulate", body, { key });
    const answer = await response.json();
    expect([response.status, answer]).toEqual([200, answer]);
    return data(SimulationResult).parse(answer).data;
  };

  test("tells what then really happens after the switch", async () => {
    const ours = await newOrganisation(server);
    const asked = [
      { provider: { sort: "price" } },
      { provider: { order: ["sandbox-us"] } },
      { provider: { only: ["sandbox-us"] } },
      { provider: { ignore: ["sandbox-fr"], sort: "price" }, max_tokens: 9 },
    ];
    const send = async () => {
      const responses = [];
      for (const body of asked) {
        const response = await complete(ours.key, body);
        await response.text();
        responses.push({ status: response.status, slug: response.headers.get("x-provider-slug"), response });
      }
      return responses;
    };
    const before = await send();
    expect(before.map(({ slug }) => slug)).toEqual(["sandbox-fr", "sandbox-us", "sandbox-us", "sandbox-de"]);
    await server.services.billing.drain();

    const draft = { name: "Germany", scope: "org", provider: { data_residency: "de" } };
    const said = await simulate(ours.key, { rule: draft });
    expect(said).toMatchObject({
      considered: 4,
      refused: 1,
      moved_count: 2,
      unchanged: 1,
      refused_already: 0,
      truncated: false,
      residency: { before: { FR: 1, US: 2, DE: 1 }, after: { DE: 3 } },
    });
    expect(said.moved).toHaveLength(2);
    expect(said.moved).toContainEqual({ from: "sandbox-fr", to: "sandbox-de", count: 1 });
    expect(said.moved).toContainEqual({ from: "sandbox-us", to: "sandbox-de", count: 1 });
    expect(said.by_model).toMatchObject([
      { model: "test/ladder", considered: 4, refused: 1, moved_count: 2 },
    ]);
    expect((await simulate(ours.key, { rule: draft })).cost_eur_after).toBe(said.cost_eur_after);

    await addRule(ours.key, draft);
    const after = await send();
    expect(after.filter(({ status }) => status === 503)).toHaveLength(said.refused);
    const places = after.flatMap(({ slug }) => slug ?? []);
    expect(places).toEqual(["sandbox-de", "sandbox-de", "sandbox-de"]);
    let really = 0n;
    for (const { status, response } of after) {
      if (status !== 200) continue;
      really += (await server.record(response.headers.get("x-generation-id"))).cost_pico_eur;
    }
    expect(said.cost_eur_after).toBe(`0.${really.toString().padStart(12, "0")}`);
  });

  test("a generation that a fallback served stays there when the draft changes nothing about it", async () => {
    const ours = await newOrganisation(server);
    const served = await slugOf(complete(ours.key, { model: "test/fallback", provider: { sort: "price" } }));
    expect(served).toBe("sandbox-de");
    await server.services.billing.drain();
    const said = await simulate(ours.key, { rule: { name: "EU", provider: { data_residency: "eu" } } });
    expect(said).toMatchObject({ considered: 1, unchanged: 1, cost_eur_change: "0.000000000000" });
    expect(said.residency).toEqual({ before: { DE: 1 }, after: { DE: 1 } });
  });

  test("an answer of /responses that chat carried stays where it was, too", async () => {
    const ours = await newOrganisation(server);
    const body = { model: "test/ladder", input: "Where to?", provider: { sort: "price" } };
    const response = await server.post("/responses", body, { key: ours.key });
    expect([response.status, response.headers.get("x-provider-slug")]).toEqual([200, "sandbox-fr"]);
    await response.text();
    await server.services.billing.drain();
    const said = await simulate(ours.key, { rule: { name: "EU", provider: { data_residency: "eu" } } });
    expect(said).toMatchObject({ considered: 1, unchanged: 1, refused: 0, refused_already: 0 });
  });

  test("replaces or switches off a rule, and looks only so far back and only at one's own", async () => {
    const [ours, theirs] = [await newOrganisation(server), await newOrganisation(server)];
    const rule = await addRule(ours.key, { name: "US", scope: "org", provider: { data_residency: "us" } });
    expect(await slugOf(complete(ours.key, { provider: { sort: "price" } }))).toBe("sandbox-us");
    expect(await slugOf(complete(theirs.key))).not.toBeNull();
    await server.services.billing.drain();
    const old = generationRow(ours, "1", {
      endpoint: "sandbox-us:test/ladder",
      model_requested: "test/ladder",
      model: "test/ladder",
      started_at: "2026-01-01T00:00:00.000Z",
    });
    await server.services.database.prisma.generation.create({
      data: { ...old, attempts: [], decision: {}, parameters: {}, cost_details: {} },
    });
    const off = { name: "US", scope: "org", enabled: false };
    expect(await simulate(ours.key, { rule: off, rule_id: rule.id })).toMatchObject({
      considered: 1,
      moved: [{ from: "sandbox-us", to: "sandbox-fr", count: 1 }],
    });
    const same = { name: "US", scope: "org", provider: { data_residency: "us" } };
    expect(await simulate(ours.key, { rule: same, rule_id: rule.id, days: 1 })).toMatchObject({
      considered: 1,
      unchanged: 1,
      cost_eur_change: "0.000000000000",
    });
  });

  test.each([
    ["rule", 400, {}],
    ["days", 400, { rule: { name: "x" }, days: 0 }],
    ["days", 400, { rule: { name: "x" }, days: 91 }],
    ["rule.provider.eu_own", 400, { rule: { name: "x", provider: { eu_own: true } } }],
    ["rule_id", 404, { rule: { name: "x" }, rule_id: "0190a000-0000-7000-8000-000000000000" }],
    [
      "workspace_id",
      404,
      { rule: { name: "x", scope: "workspace", workspace_id: "0190a000-0000-7000-8000-000000000000" } },
    ],
  ])("a bad %s is a %i that names it", async (param, status, body) => {
    const response = await server.post("/routing-rules/simulate", body);
    const { error } = (await response.json()) as { error: { param: string } };
    expect([response.status, error.param]).toEqual([status, param]);
  });

  test("a viewer may ask; nothing is written by it", async () => {
    const ours = await newOrganisation(server);
    const viewer = await join(server, ours, "viewer");
    await simulate(viewer.key, { rule: { name: "Try", scope: "org", provider: { eu_owned: true } } });
    const { prisma } = server.services.database;
    expect(await prisma.routing_rule.count({ where: { org_id: ours.orgId } })).toBe(0);
  });
});
