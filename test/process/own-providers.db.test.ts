import { describe, expect, test } from "vitest";
import { silentLog } from "#server/platform/log.ts";
import { start } from "#server/start.ts";
import { directoryOfFile } from "#test/directories.ts";
import { credential } from "#test/providers/serve.ts";
import { until } from "#test/until.ts";
import { type Body, Entries, startWithOwnServers } from "./own-provider-client.ts";
import { answer, refusal } from "./rule-client.ts";

const { server, services, ours, us, them, operator, servers, ownServer, add, change, chat, textOf } =
  await startWithOwnServers();
const { vllm, closed, other } = servers;

describe("an organisation's own provider", () => {
  test("serves at once, is paid by the organisation, and is shown in its lists", async () => {
    await add(us, ownServer("own-gpu", {}, { price: { currency: "EUR", input: "1", output: "1" } }));
    const response = await chat(us, "own-gpu/chat");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ provider: "own-gpu", usage: { cost: 0, is_byok: true } });
    const { upstream_pico_usd: worth, cost_pico_eur } = await server.record(
      response.headers.get("x-generation-id"),
    );
    expect([Number(worth) > 0, cost_pico_eur]).toEqual([true, 0n]);
    for (const path of [
      "/models",
      "/models/user",
      "/providers",
      "/models/own-gpu/chat",
      "/models/own-gpu/chat/endpoints",
    ])
      expect(await textOf(us, path)).toContain("own-gpu");
  });

  test("does not exist for anybody else, in lists, caches, errors and routes", async () => {
    await add(us, ownServer("own-gpu"));
    for (const one of [them, operator]) {
      const refused = await chat(one, "own-gpu/chat");
      expect(refused.status).toBe(404);
      expect(await refused.text()).not.toContain("Did you mean `own");
      for (const path of ["/models", "/models/user", "/providers", "/endpoints/zdr", "/catalogue-entries"])
        expect(await textOf(one, path)).not.toContain("own-gpu");
    }
    expect(await (await server.send("GET", "/models", { key: null })).text()).not.toContain("own-gpu");
    const { headers } = await us.send("GET", "/models");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("vary")).toContain("authorization");
    expect((await them.send("GET", "/models")).headers.get("cache-control")).toMatch(/^public/);
  });

  test("gets the organisation's own credential, never one of the installation", async () => {
    const body = ownServer("ours", { base_url: closed.baseUrl, auth: "bearer" });
    await add(us, body);
    closed.received.length = 0;
    // The environment has OURS_API_KEY, and the operator a shared one of this name cannot store.
    expect((await chat(us, "ours/chat")).status).toBe(503);
    expect(closed.received).toEqual([]);
    const stored = await us.post("/byok", { provider: "ours", name: "GPU", key: credential });
    expect(stored.status).toBe(201);
    expect((await chat(us, "ours/chat")).status).toBe(200);
    expect(closed.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${credential}`]);
    expect((await us.send("GET", "/models/ours/chat")).status).toBe(200);
    const { data: id } = (await stored.json()) as { data: { id: string } };
    await us.send("DELETE", `/byok/${id.id}`);
  });

  test("is not moved to another host while a credential for it is stored", async () => {
    const body = ownServer("gpu-5", { base_url: closed.baseUrl, auth: "bearer" });
    const [provider] = await add(us, body);
    const stored = await us.post("/byok", { provider: "gpu-5", name: "GPU", key: credential });
    const { data: kept } = (await stored.json()) as { data: { id: string } };
    const moved = (base_url: string) => ({ entry: { ...body.providers[0], base_url } });
    const path = `/catalogue-entries/${provider?.id}`;
    const elsewhere = `${other.origin}/v1`;
    const assertRefused = async (response: Response, param: string) =>
      expect((await refusal(response, 400, param)).message).toContain("the stored credential of gpu-5");

    expect((await us.send("PATCH", path, moved(`${closed.origin}/v2`))).status).toBe(200);
    await assertRefused(await us.send("PATCH", path, moved(elsewhere)), "entry.base_url");
    await assertRefused(
      await us.send("PATCH", path, { ...moved(elsewhere), enabled: false }),
      "entry.base_url",
    );
    const regional = { provider: "gpu-5", variant: "x", model: "gpu-5/chat", base_url: elsewhere };
    await assertRefused(
      await us.post("/catalogue-entries", { endpoints: [regional] }),
      "endpoints.0.base_url",
    );
    await us.send("DELETE", path);
    const again = { providers: ownServer("gpu-5", { base_url: elsewhere }).providers };
    await assertRefused(await us.post("/catalogue-entries", again), "providers.0.base_url");
    await us.send("DELETE", `/byok/${kept.id}`);
    expect((await us.post("/catalogue-entries", again)).status).toBe(201);
  });

  test("of the same name as a later one of the installation does not get the shared credential when it is checked", async () => {
    other.answer = (response) => response.end("{}");
    await add(operator, ownServer("gpu-6", { base_url: `${other.origin}/v1` }));
    await add(operator, { scope: "installation", ...ownServer("gpu-6", { base_url: closed.baseUrl }) });
    const shared = { provider: "gpu-6", name: "GPU", key: credential, shared: true };
    const stored = await operator.post("/byok", shared);
    expect(stored.status).toBe(201);
    const { data: kept } = (await stored.json()) as { data: { id: string } };
    for (const { received } of [other, closed]) received.length = 0;
    expect(await (await operator.post(`/byok/${kept.id}/check`, {})).json()).toMatchObject({
      data: { success: true },
    });
    expect([other.received.length, closed.received.length]).toEqual([0, 1]);
    await operator.send("DELETE", `/byok/${kept.id}`);
  });

  test("is not measured together with one of the same name of another organisation", async () => {
    other.answer = (response) => response.writeHead(500).end();
    await add(them, ownServer("gpu", { base_url: `${other.origin}/v1` }));
    await add(us, ownServer("gpu"));
    for (let at = 0; at < 6; at++) expect((await chat(them, "gpu/chat")).status).not.toBe(200);
    expect((await chat(us, "gpu/chat")).status).toBe(200);
    const seen = await (await us.send("GET", "/models/gpu/chat/endpoints")).json();
    expect(seen).toMatchObject({ data: { endpoints: [{ status: 0, uptime_last_30m: 100 }] } });
  });

  test("obeys the rules", async () => {
    await add(us, ownServer("own-gpu", { training: true }));
    const rule = { name: "No training", scope: "org", provider: { data_collection: "deny" } };
    const made = await us.post("/routing-rules", rule);
    expect(made.status).toBe(201);
    expect((await chat(us, "own-gpu/chat")).status).toBe(503);
    const { data: entry } = (await (await us.send("GET", "/catalogue-entries?section=provider")).json()) as {
      data: { id: string; entry: Body }[];
    };
    await change(us, entry[0]?.id ?? "", { entry: { ...entry[0]?.entry, training: false } });
    expect((await chat(us, "own-gpu/chat")).status).toBe(200);
    const { data: created } = (await made.json()) as { data: { id: string } };
    await us.send("DELETE", `/routing-rules/${created.id}`);
  });

  test("is disabled, enabled and deleted with its endpoints at once; the audit log has each change", async () => {
    const [provider] = await add(us, ownServer("own-gpu"));
    const id = provider?.id ?? "";
    await change(us, id, { enabled: false });
    expect((await chat(us, "own-gpu/chat")).status).toBe(503);
    const { data: rest } = await answer(Entries, await us.send("GET", "/catalogue-entries?section=endpoint"));
    expect(rest[0]?.problem).toContain('"own-gpu"');
    await change(us, id, { enabled: true });
    expect((await chat(us, "own-gpu/chat")).status).toBe(200);
    expect((await us.send("DELETE", `/catalogue-entries/${id}`)).status).toBe(200);
    expect((await chat(us, "own-gpu/chat")).status).toBe(503);
    const { data: left } = await answer(Entries, await us.send("GET", "/catalogue-entries"));
    expect(left.map(({ section }) => section)).toEqual(["model"]);
    const { data: log } = (await (await us.send("GET", "/audit-log?limit=4")).json()) as {
      data: { action: string }[];
    };
    expect(log.map(({ action }) => action)).toEqual([
      "catalogue_entry.delete",
      "catalogue_entry.update",
      "catalogue_entry.update",
      "catalogue_entry.create",
    ]);
  });
});

test.each(["streamed", "complete"])(
  "the announced end of a model is in the list and in the headers of a %s answer",
  async (mode) => {
    const body = ownServer("own-gpu");
    const [model] = body.models;
    const end = { deprecation_date: "2026-11-20", expiration_date: "2027-02-01", successor: "sandbox/chat" };
    await add(us, { ...body, models: [{ ...model, ...end }] });
    const messages = [{ role: "user", content: "Hello." }];
    const asked = { model: "own-gpu/chat", messages, max_tokens: 8, stream: mode === "streamed" };
    const { status, headers } = await us.post("/chat/completions", asked);
    expect([status, ...["deprecation", "sunset", "link"].map((name) => headers.get(name))]).toEqual([
      200,
      "@1795132800",
      "Mon, 01 Feb 2027 00:00:00 GMT",
      '</api/v1/models/sandbox/chat/endpoints>; rel="successor-version"',
    ]);
    const { data: shown } = (await (await us.send("GET", "/models/own-gpu/chat")).json()) as {
      data?: object;
    };
    expect(shown).toMatchObject(end);
    const other = await chat(us, "sandbox/chat");
    expect([other.headers.get("deprecation"), other.headers.get("sunset")]).toEqual([null, null]);
  },
);

test.each([
  ["expiration_date", { deprecation_date: "2026-11-20", expiration_date: "2026-11-19" }],
  ["expiration_date", { expiration_date: "2026-11" }],
  ["successor", { successor: "own-gpu/chat" }],
])("an announcement that makes no sense is refused with its field: %s", async (field, end) => {
  const body = ownServer("own-gpu");
  const [model] = body.models;
  const refused = await us.post("/catalogue-entries", { ...body, models: [{ ...model, ...end }] });
  expect((await refusal(refused, 400, "models.0")).message).toContain(`${field}: must`);
});

describe("an entry of the installation", () => {
  test("serves everybody at its price, and is the operator's alone", async () => {
    const price = { currency: "EUR", input: "1", output: "1" };
    const body = { scope: "installation", ...ownServer("shared-gpu", {}, { price }) };
    expect((await us.post("/catalogue-entries", body)).status).toBe(403);
    const [provider] = await add(operator, body);
    const response = await chat(us, "shared-gpu/chat");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ usage: { is_byok: false } });
    expect((await server.record(response.headers.get("x-generation-id"))).cost_pico_eur > 0n).toBe(true);
    for (const [method, change] of [["PATCH", { enabled: false }], ["DELETE"]] as const)
      expect((await us.send(method, `/catalogue-entries/${provider?.id}`, change)).status).toBe(404);
    const clash = await us.post("/catalogue-entries", ownServer("shared-gpu"));
    expect((await refusal(clash, 400, "providers.0.slug")).message).toContain("choose another slug");
  });

  test("gives a shipped provider an address, and deleting it restores the shipped one", async () => {
    const body = {
      scope: "installation",
      providers: [{ slug: "vllm", base_url: vllm.baseUrl, enabled: true }],
      models: [{ id: "own/chat", context_length: 8_192 }],
      endpoints: [{ provider: "vllm", model: "own/chat", upstream_model: "Qwen/Qwen3-32B" }],
    };
    const [override] = await add(operator, body);
    expect(override).toMatchObject({ overrides: "shipped", problem: null });
    expect((await chat(us, "own/chat")).status).toBe(200);
    await operator.send("DELETE", `/catalogue-entries/${override?.id}`);
    expect(services.catalogues.of(null).providers.get("vllm")).toMatchObject({
      enabled: false,
      baseUrl: "http://localhost:8000/v1",
    });
  });

  test("states its source and day, and an imported price applies to it too", async () => {
    const price = { currency: "EUR", input: "1", output: "1" };
    await add(operator, { scope: "installation", ...ownServer("shared-gpu", {}, { price }) });
    const endpoint = "shared-gpu:shared-gpu/chat";
    expect(services.catalogues.of(null).endpoints.get(endpoint)).toMatchObject({
      training: { value: false, asOf: "2026-11-20", sources: [{ title: "Operations manual" }] },
      price: { sources: [{ title: "Operations manual" }] },
    });
    const prices = [{ endpoint, price: { ...price, input: "3" } }];
    expect((await operator.post("/prices", { schema: "portolan-prices/1", prices })).status).toBe(200);
    expect(services.catalogues.of(ours.orgId).endpoints.get(endpoint)?.price?.input).toBe(3_000_000n);
    const history = (await (await us.send("GET", `/prices?endpoint=${endpoint}`)).json()) as { data: Body[] };
    expect(history.data.map(({ origin, input }) => [origin, Number(input)])).toEqual([
      ["price_book", 3],
      ["catalogue", 1],
    ]);
  });
});

test("another process over the same database serves a new provider within a second", async () => {
  const second = await start({ ...services.config, dataDir: directoryOfFile() }, silentLog, () => {});
  try {
    await add(us, ownServer("own-gpu"));
    const since = performance.now();
    const asked = () =>
      fetch(`${second.origin}/api/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${ours.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "own-gpu/chat", messages: [{ role: "user", content: "Hello." }] }),
      });
    await until(async () => (await asked()).status === 200);
    // The time between two looks at the version, and the time of the request that sees it.
    expect(performance.now() - since).toBeLessThan(1_500);
  } finally {
    await second.stop();
  }
});
