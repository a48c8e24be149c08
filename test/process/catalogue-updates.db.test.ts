import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { CatalogueFile } from "#contract/catalogue.ts";
import {
  CatalogueComparison,
  CatalogueDifferences,
  CatalogueUpdates,
  documentCharsMax,
} from "#contract/catalogue-update.ts";
import { data } from "#contract/common.ts";
import { startUpstream } from "#test/dialects/server.ts";
import { shippedCatalogue } from "#test/shipped-document.ts";
import { until } from "#test/until.ts";
import { newOrganisation } from "./people.ts";
import { answer, refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const upstream = await startUpstream();
const priced = (file: CatalogueFile) => {
  const endpoint = file.endpoints.find(({ price }) => price?.currency === "EUR");
  if (!endpoint?.price) throw new Error("The shipped catalogue has no such endpoint");
  return { endpoint, price: endpoint.price, id: `${endpoint.provider}:${endpoint.model}` };
};
const target = priced(shippedCatalogue());

const server = await startTestServer({
  settings: {
    ALLOW_PRIVATE_HOSTS: new URL(upstream.origin).hostname,
    // Without a credential no endpoint of the provider is eligible.
    [`${target.endpoint.provider.replace(/\W/g, "_").toUpperCase()}_API_KEY`]: "installation-secret",
  },
});
const { post, send, services } = server;
const { prisma } = services.database;
const stranger = await newOrganisation(server);

/** The shipped catalogue with a change. */
function changed(change: (file: CatalogueFile) => void = () => {}): string {
  const file = shippedCatalogue();
  change(file);
  return JSON.stringify(file);
}
const dearer = (input = "77") =>
  changed((file) => {
    priced(file).price.input = input;
  });

const propose = async (document: string) =>
  (
    await answer(
      data(CatalogueComparison),
      await post("/catalogue-updates", { document, name: "new.json" }),
      201,
    )
  ).data;
const apply = (id: string, body: object = {}) =>
  post(`/catalogue-updates/${id}/apply`, { compared_with: null, ...body });
const undo = (id: string) => post(`/catalogue-updates/${id}/undo`, {});
const get = async (id: string) =>
  (await answer(data(CatalogueComparison), await send("GET", `/catalogue-updates/${id}`))).data;
const list = async () => (await answer(CatalogueUpdates, await send("GET", "/catalogue-updates"))).data;
const differences = async (id: string, query = "") =>
  (await answer(CatalogueDifferences, await send("GET", `/catalogue-updates/${id}/differences?${query}`)))
    .data;
const priceOf = (of: { readonly services: typeof services } = server) =>
  of.services.catalogues.of(null).endpoints.get(target.id)?.price?.input.toString();
const states = async () => (await list()).map(({ state, in_use }) => `${state}${in_use ? ", in use" : ""}`);

async function applied(document: string): Promise<z.infer<typeof CatalogueComparison>> {
  const proposal = await propose(document);
  expect((await apply(proposal.id, { compared_with: proposal.compared_with })).status).toBe(200);
  return proposal;
}

beforeEach(async () => {
  await prisma.catalogue_update.deleteMany();
  await prisma.catalogue_entry.deleteMany();
  await prisma.$executeRaw`update config_version set version = version + 1`;
  await services.refreshSnapshot();
});

describe("a proposed update", () => {
  test("counts and lists what would change, and changes nothing", async () => {
    const before = priceOf();
    const gone =
      shippedCatalogue().endpoints.find(({ model }) => model !== target.endpoint.model)?.model ?? "";
    const { id, ...shown } = await propose(
      changed((file) => {
        priced(file).price.input = "77";
        file.models = file.models.filter((model) => model.id !== gone);
        file.endpoints = file.endpoints.filter(({ model }) => model !== gone);
      }),
    );
    const removed = shippedCatalogue().endpoints.filter(({ model }) => model === gone).length;
    expect(shown).toMatchObject({ state: "proposed", in_use: false, source: "new.json", new_hosts: [] });
    expect(shown.counts).toEqual([
      { group: "prices", added: 0, removed: 0, changed: 1 },
      { group: "models", added: 0, removed: 1, changed: 0 },
      { group: "endpoints", added: 0, removed, changed: 0 },
    ]);
    expect(await differences(id, "group=prices")).toMatchObject([
      { name: target.id, field: "price", before: { input: target.price.input }, after: { input: "77" } },
    ]);
    expect(await differences(id, `search=${gone}&change=removed&limit=1`)).toHaveLength(1);
    expect(priceOf()).toBe(before);
  });

  test("replaces an earlier proposal", async () => {
    await propose(dearer("1"));
    const { id } = await propose(dearer("2"));
    expect((await list()).map((one) => one.id)).toEqual([id]);
  });

  test("reports which differences have no effect, because the installation has its own value", async () => {
    const { provider, model } = target.endpoint;
    const own = { provider, model, price: { currency: "EUR", input: "3", output: "3" } };
    expect((await post("/catalogue-entries", { scope: "installation", endpoints: [own] })).status).toBe(201);
    const { id } = await propose(dearer());
    expect(await differences(id)).toMatchObject([{ overridden_by: "installation" }]);
    await apply(id);
    expect(priceOf()).toBe("3000000");
  });

  test("reports which entries of the installation would not be used any more", async () => {
    const { provider, model } = target.endpoint;
    const own = { provider, model, enabled: true, price: { currency: "EUR", input: "3", output: "3" } };
    await post("/catalogue-entries", { scope: "installation", endpoints: [own] });
    const shown = await propose(
      changed((file) => {
        file.models = file.models.filter(({ id }) => id !== model);
        file.endpoints = file.endpoints.filter((endpoint) => endpoint.model !== model);
      }),
    );
    expect(shown.unused_entries).toMatchObject([{ section: "endpoint", name: target.id }]);
  });
});

const movedAbroad = () =>
  changed((file) => {
    const { model, provider } = target.endpoint;
    file.endpoints = file.endpoints.filter((one) => one.model !== model || one.provider === provider);
    priced(file).endpoint.countries = ["US"];
    priced(file).endpoint.region_groups = [];
  });

test("an update shows which endpoints the organisation's rules would not admit any more", async () => {
  const rule = { name: "EU", scope: "org", provider: { data_residency: "eu" } };
  const made = await answer(data(z.object({ id: z.string() })), await post("/routing-rules", rule), 201);
  const { rules } = await propose(movedAbroad());
  await send("DELETE", `/routing-rules/${made.data.id}`);
  expect(rules).toMatchObject({
    admitted_count: 0,
    excluded: [target.id],
    unserved: [target.endpoint.model],
  });
});

test("an update shows how many other organisations have rules under which nothing would serve a model, and no names", async () => {
  const eu = { data_residency: "eu" };
  for (const more of [{ provider: eu }, { provider: { sort: "price" } }, { provider: eu, enabled: false }]) {
    const { key } = await newOrganisation(server);
    expect((await post("/routing-rules", { name: "A", scope: "org", ...more }, { key })).status).toBe(201);
  }
  const { other_organisations } = await propose(movedAbroad());
  expect(other_organisations).toEqual({ checked_count: 2, unserved_count: 1 });
});

test("an update applies in every process within a second, and undoing it restores what was before", async () => {
  const second = await server.startSecond();
  const before = priceOf();
  const first = await applied(dearer("77"));
  expect(priceOf()).toBe("77000000");
  const startedMs = performance.now();
  await until(() => priceOf(second) === "77000000");
  expect(performance.now() - startedMs).toBeLessThan(1_000);

  const next = await applied(dearer("78"));
  expect([priceOf(), await states()]).toEqual(["78000000", ["applied, in use", "applied"]]);
  expect((await refusal(await undo(first.id), 409, "id")).message).toContain("newest");
  expect((await undo(next.id)).status).toBe(200);
  expect([priceOf(), await states()]).toEqual(["77000000", ["undone", "applied, in use"]]);
  expect((await undo(first.id)).status).toBe(200);
  expect([priceOf(), await states()]).toEqual([before, ["undone", "undone"]]);
  expect((await apply(next.id)).status).toBe(200);
  expect(priceOf()).toBe("78000000");
  await until(() => priceOf(second) === "78000000");

  const actions = await prisma.audit_entry.findMany({
    where: { action: { startsWith: "catalogue_update." } },
    orderBy: { position: "asc" },
    select: { action: true },
  });
  expect(actions.slice(-7).map(({ action }) => action.split(".")[1])).toEqual([
    ...["create", "apply", "create", "apply", "undo", "undo", "apply"],
  ]);
});

test("the update in use shows what it has changed", async () => {
  await applied(dearer("77"));
  const { id } = await applied(dearer("78"));
  expect((await get(id)).counts).toEqual([{ group: "prices", added: 0, removed: 0, changed: 1 }]);
  expect(await differences(id)).toMatchObject([{ before: { input: "77" }, after: { input: "78" } }]);
});

test("an update is not applied to another catalogue than it was compared with", async () => {
  const seen = await applied(dearer("77"));
  const next = await propose(dearer("78"));
  await undo(seen.id);
  const refused = await apply(next.id, { compared_with: next.compared_with });
  await refusal(refused, 409, "compared_with");
  expect((await apply(next.id, { compared_with: (await get(next.id)).compared_with })).status).toBe(200);
});

test("requests and credentials are sent to a new host only after somebody accepted it", async () => {
  const moved = changed((file) => {
    const provider = file.providers.find(({ slug }) => slug === target.endpoint.provider);
    if (provider) provider.base_url = "https://elsewhere.example.eu/v1";
  });
  const { id, new_hosts } = await propose(moved);
  expect(new_hosts).toEqual([{ provider: target.endpoint.provider, host: "elsewhere.example.eu" }]);
  expect((await refusal(await apply(id), 409, "accept_hosts")).message).toContain("elsewhere.example.eu");
  expect((await apply(id, { accept_hosts: ["elsewhere.example.eu"] })).status).toBe(200);
});

test("an update that a newer release would not accept is not used, and says why", async () => {
  const { id } = await applied(dearer());
  await prisma.catalogue_update.update({
    where: { id },
    data: { document: changed((file) => (file.as_of = "2000")) },
  });
  const second = await server.startSecond();
  expect(priceOf(second)).not.toBe("77000000");
  expect(second.services.catalogues.base().unused).toEqual({
    id,
    problem: expect.stringContaining("as_of must be"),
  });
});

describe("a document", () => {
  test.each([
    ["that is not JSON", "{", "is not JSON"],
    ["with an unknown field", changed((file) => Object.assign(file, { extra: 1 })), "unknown field"],
    ["with an endpoint of no model", changed((file) => file.models.splice(0)), "is not known"],
    ["that is older than the shipped one", changed((file) => (file.as_of = "2000-01-01")), "as_of must be"],
  ])("%s is refused with the reason", async (_, document, reason) => {
    const { message } = await refusal(await post("/catalogue-updates", { document }), 400, "document");
    expect(message).toContain(reason);
    expect(await list()).toEqual([]);
  });

  test("that is too long is refused", async () => {
    await refusal(
      await post("/catalogue-updates", { document: " ".repeat(documentCharsMax + 1) }),
      400,
      "document",
    );
  });

  test("is read from an address, of which the query is not shown", async () => {
    upstream.answer = (response) => response.end(dearer());
    const url = `${upstream.origin}/catalogue.json?token=hidden`;
    const { data: shown } = await answer(
      data(CatalogueComparison),
      await post("/catalogue-updates", { url }),
      201,
    );
    expect(shown.source).toBe(`${upstream.origin}/catalogue.json`);
  });

  test.each<[string, (typeof upstream)["answer"], string]>([
    ["that is not there", (response) => response.writeHead(404).end(), "status 404"],
    ["that leads elsewhere", (response) => response.writeHead(302, { location: "/x" }).end(), "status 302"],
    ["that is too large", (response) => response.end(" ".repeat(documentCharsMax + 1)), "bytes"],
    ["that is no catalogue", (response) => response.end("<html>secret</html>"), "is not JSON"],
  ])("at an address %s is refused", async (_, serve, reason) => {
    upstream.answer = serve;
    const { message } = await refusal(
      await post("/catalogue-updates", { url: `${upstream.origin}/c` }),
      400,
      "url",
    );
    expect(message).toContain(reason);
    expect(message).not.toContain("secret");
  });

  test.each(["http://10.0.0.1/c", "https://169.254.169.254/c", "http://example.eu/c"])(
    "at %s is not read",
    async (url) => {
      await refusal(await post("/catalogue-updates", { url }), 400, "url");
    },
  );
});

test.each([
  ["GET", "/catalogue-updates"],
  ["POST", "/catalogue-updates"],
])("%s %s is for the operator alone", async (method, path) => {
  const body = method === "POST" ? { body: JSON.stringify({ document: "{}" }) } : {};
  expect((await send(method, path, { key: stranger.key, ...body })).status).toBe(403);
});
