import { describe, expect, test } from "vitest";
import { data } from "#contract/common.ts";
import { SimulationResult } from "#contract/simulation.ts";
import { generationRow, insertGenerations } from "#test/factories.ts";
import { faultyModels } from "./overlay.ts";
import { join, newOrganisation } from "./people.ts";
import { policyClient, slugOf } from "./policy-client.ts";
import { startTestServer } from "./server.ts";

const { endpoints, models } = faultyModels({
  ladder: { fr: "ok", de: "ok", us: "ok" },
  fallback: { fr: "500", de: "ok" },
  sees: { us: "ok" },
});
const server = await startTestServer({
  overlay: {
    endpoints,
    models: models.map((one) => ({
      ...one,
      ...(one.id === "test/sees" && { input_modalities: ["text", "image"] }),
    })),
  },
});

const { complete, addRule } = policyClient(server);

describe("simulation", () => {
  const simulate = async (key: string, body: object) => {
    const response = await server.post("/routing-rules/simulate", body, { key });
    const answer = await response.json();
    expect([response.status, answer]).toEqual([200, answer]);
    return data(SimulationResult).parse(answer).data;
  };

  test("predicts what happens after the rule is created", async () => {
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
    const predicted = await simulate(ours.key, { rule: draft });
    expect(predicted).toMatchObject({
      considered: 4,
      refused: 1,
      moved_count: 2,
      unchanged: 1,
      refused_already: 0,
      truncated: false,
      residency: { before: { FR: 1, US: 2, DE: 1 }, after: { DE: 3 } },
    });
    expect(predicted.flows).toContainEqual({
      before: { provider: "sandbox-us", place: "US" },
      after: null,
      count: 1,
    });
    expect(predicted.flows).toContainEqual({
      before: { provider: "sandbox-fr", place: "FR" },
      after: { provider: "sandbox-de", place: "DE" },
      count: 1,
    });
    expect(predicted.flows.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(predicted.moved).toHaveLength(2);
    expect(predicted.moved).toContainEqual({ from: "sandbox-fr", to: "sandbox-de", count: 1 });
    expect(predicted.moved).toContainEqual({ from: "sandbox-us", to: "sandbox-de", count: 1 });
    expect(predicted.by_model).toMatchObject([
      { model: "test/ladder", considered: 4, refused: 1, moved_count: 2 },
    ]);
    expect((await simulate(ours.key, { rule: draft })).cost_eur_after).toBe(predicted.cost_eur_after);

    await addRule(ours.key, draft);
    const after = await send();
    expect(after.filter(({ status }) => status === 503)).toHaveLength(predicted.refused);
    const places = after.flatMap(({ slug }) => slug ?? []);
    expect(places).toEqual(["sandbox-de", "sandbox-de", "sandbox-de"]);
    let actualCost = 0n;
    for (const { status, response } of after) {
      if (status !== 200) continue;
      actualCost += (await server.record(response.headers.get("x-generation-id"))).cost_pico_eur;
    }
    expect(predicted.cost_eur_after).toBe(`0.${actualCost.toString().padStart(12, "0")}`);
  });

  test("a generation that a fallback served stays there when the draft does not affect it", async () => {
    const ours = await newOrganisation(server);
    const served = await slugOf(complete(ours.key, { model: "test/fallback", provider: { sort: "price" } }));
    expect(served).toBe("sandbox-de");
    await server.services.billing.drain();
    const predicted = await simulate(ours.key, { rule: { name: "EU", provider: { data_residency: "eu" } } });
    expect(predicted).toMatchObject({ considered: 1, unchanged: 1, cost_eur_change: "0.000000000000" });
    expect(predicted.residency).toEqual({ before: { DE: 1 }, after: { DE: 1 } });
  });

  test("a request with an image stays among models and providers that accept images", async () => {
    const ours = await newOrganisation(server);
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const messages = [{ role: "user", content: [{ type: "text", text: "What is this?" }, image] }];
    const body = { models: ["test/ladder", "test/sees"], messages };
    const response = await server.post("/chat/completions", body, { key: ours.key });
    expect([response.status, response.headers.get("x-provider-slug")]).toEqual([200, "sandbox-us"]);
    await response.text();
    const id = response.headers.get("x-generation-id");
    await server.record(id);
    const record = await server.send("GET", `/generation?id=${id}`, { key: ours.key });
    expect(await record.json()).toMatchObject({
      data: { input_modalities: ["image"], output_modalities: [] },
    });
    const predicted = await simulate(ours.key, { rule: { name: "EU", provider: { data_residency: "eu" } } });
    // The providers in the EU serve the text model only.
    expect(predicted).toMatchObject({ considered: 1, refused: 1, moved_count: 0 });
  });

  test("an answer of /responses that was served through chat stays where it was", async () => {
    const ours = await newOrganisation(server);
    const body = { model: "test/ladder", input: "Where to?", provider: { sort: "price" } };
    const response = await server.post("/responses", body, { key: ours.key });
    expect([response.status, response.headers.get("x-provider-slug")]).toEqual([200, "sandbox-fr"]);
    await response.text();
    await server.services.billing.drain();
    const predicted = await simulate(ours.key, { rule: { name: "EU", provider: { data_residency: "eu" } } });
    expect(predicted).toMatchObject({ considered: 1, unchanged: 1, refused: 0, refused_already: 0 });
  });

  test("can replace or disable a rule, and covers only the given days and the own organisation", async () => {
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
    await insertGenerations(server.services.database, [old]);
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

  test("a viewer may simulate, and nothing is stored", async () => {
    const ours = await newOrganisation(server);
    const viewer = await join(server, ours, "viewer");
    await simulate(viewer.key, { rule: { name: "Try", scope: "org", provider: { eu_owned: true } } });
    const { prisma } = server.services.database;
    expect(await prisma.routing_rule.count({ where: { org_id: ours.orgId } })).toBe(0);
  });
});
