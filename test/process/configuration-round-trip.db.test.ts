import { expect, test } from "vitest";
import { configurationKinds } from "#contract/configuration-kinds.ts";
import { complete, configurationClient, secrets, settings } from "./configuring.ts";
import { startTestServer } from "./server.ts";

/** What only the organisation that runs an installation can have. */
const ofInstallation = complete
  .replace(
    "\nmodels:\n",
    `
  - name: everybodys-gpu
    scope: installation
    entry: { name: GPU, base_url: "http://127.0.0.1:9/v1", auth: bearer-optional, datacenters: [ FR ] }
  - { name: sandbox-de, scope: installation, entry: { region_note: Near the port, storage_countries: null } }
models:
  - { name: shared/chat, scope: installation, entry: { description: For all } }
`,
  )
  .replace(
    "\ncredentials:\n",
    `
  - name: everybodys-gpu:shared/chat
    scope: installation
    entry: { price: { currency: EUR, input: "1", output: "2" } }
prices:
  - endpoint: everybodys-gpu:shared/chat
    price: { currency: EUR, input: "1.5", output: "3", cached_input: "0.1", source: null }
  - { endpoint: sandbox-fr:sandbox/chat, price: { currency: USD, input: "0", output: "0" }, free: true }
credentials:
  - { name: For all, provider: everybodys-gpu, shared: true, secret: env:PROVIDER }
`,
  );

/** An empty installation: its database has the operator with one key, as after the first start. */
async function startEmpty(encryptionKey: number) {
  const server = await startTestServer({
    settings: { ...settings, ENCRYPTION_KEY: Buffer.alloc(32, encryptionKey).toString("base64") },
  });
  return { server, client: configurationClient(server, server.key) };
}

const valueFor = (reference: string): string => {
  if (reference.endsWith("_ADDRESS")) return "http://127.0.0.1:9/another";
  return reference.endsWith("SIGNING_SECRET")
    ? `whsec_${Buffer.alloc(24, 2).toString("base64")}`
    : "second-secret";
};

const [first, second] = [await startEmpty(1), await startEmpty(2)];

test("the export of an installation, applied to another one with its own empty database, is exported as the same file, byte for byte", async () => {
  await first.client.apply(ofInstallation, { secrets });
  expect((await first.client.plan(ofInstallation, { secrets })).changes).toEqual([]);
  const exported = await first.client.export();
  const sections = [...exported.matchAll(/^(\w+):\n {2}- /gm)].map(([, kind]) => kind);
  expect(sections).toEqual([...configurationKinds]);
  expect(exported).not.toMatch(/provider-secret|collector-secret|hook-secret|duty-secret|whsec_|ptl_/);
  expect(await second.client.export()).not.toContain("everybodys-gpu");

  const references = [...exported.matchAll(/env:PORTOLAN_SECRET\w+/g)].map(([reference]) => reference);
  const given = Object.fromEntries(references.map((reference) => [reference, valueFor(reference)]));
  await second.client.apply(exported, { secrets: given });
  expect(await second.client.export()).toBe(exported);
  const again = await second.client.plan(exported, { secrets: given, prune: true });
  expect([again.changes, again.secrets]).toEqual([[], []]);
  expect((await first.client.plan(exported, { prune: true })).changes).toEqual([]);
  for (const { server } of [first, second]) {
    const prices = await server.send("GET", "/prices?endpoint=everybodys-gpu:shared/chat");
    expect(await prices.json()).toMatchObject({
      data: [{ input: "1.500000000000", origin: "price_book", current: true }, {}],
    });
  }
});

test("an empty file with prune removes all of it, and the first file then builds it again", async () => {
  const exported = await second.client.export();
  const empty = ["version: 1", ...configurationKinds.map((kind) => `${kind}: []`), ""].join("\n");
  await second.client.apply(empty, { prune: true });
  expect([...(await second.client.export()).matchAll(/^(\w+):\n {2}- /gm)]).toEqual([]);
  const references = [...exported.matchAll(/env:PORTOLAN_SECRET\w+/g)].map(([reference]) => reference);
  const given = Object.fromEntries(references.map((reference) => [reference, valueFor(reference)]));
  await second.client.apply(exported, { secrets: given });
  expect(await second.client.export()).toBe(exported);
});
