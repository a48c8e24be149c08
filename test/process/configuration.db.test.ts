import { describe, expect, test } from "vitest";
import { configurationKinds } from "#contract/configuration-kinds.ts";
import { mintKey } from "#server/keys/index.ts";
import {
  complete,
  configurationClient,
  newEmptyOrganisation,
  rowsOf,
  secrets,
  settings,
} from "./configuring.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings });

/** A value of the kind that a reference of an exported file stands for. */
const valueFor = (reference: string): string => {
  if (reference.endsWith("_ADDRESS")) return "http://127.0.0.1:9/another";
  return reference.endsWith("SIGNING_SECRET")
    ? `whsec_${Buffer.alloc(24, 2).toString("base64")}`
    : "another-secret";
};

describe("export, apply, export", () => {
  test("an export that is applied to an empty organisation is exported as the same file, byte for byte, with every kind", async () => {
    const [ours, empty] = [await newEmptyOrganisation(server), await newEmptyOrganisation(server)];
    const [first, second] = [configurationClient(server, ours.key), configurationClient(server, empty.key)];
    const applied = await first.apply(complete, { secrets });
    expect(applied.keys.map(({ name }) => name)).toEqual(["Search service", "0123"]);
    expect((await first.plan(complete, { secrets, prune: true })).changes).toEqual([]);

    const exported = await first.export();
    const sections = [...exported.matchAll(/^(\w+):\n {2}- /gm)].map(([, kind]) => kind);
    // The price book is the operator's.
    expect(sections).toEqual(configurationKinds.filter((kind) => kind !== "prices"));
    expect(exported).not.toMatch(/collector-secret|hook-secret|duty-secret|provider-secret|whsec_|ptl_/);
    const references = Object.fromEntries(
      [...exported.matchAll(/env:PORTOLAN_SECRET\w+/g)].map(([reference]) => [
        reference,
        valueFor(reference),
      ]),
    );
    expect(Object.keys(references)).toHaveLength(7);
    expect((await first.plan(exported, { prune: true })).changes).toEqual([]);
    await second.apply(exported, { secrets: references });
    expect(await second.export()).toBe(exported);
    const again = await second.plan(exported, { secrets: references, prune: true });
    expect([again.changes, again.secrets]).toEqual([[], []]);
    const state = await rowsOf(server, empty.orgId);
    expect((await second.apply(exported, { secrets: references, prune: true })).changes).toEqual([]);
    expect(await rowsOf(server, empty.orgId)).toEqual(state);
    expect(await second.export()).toBe(exported);
  });
});

describe("apply", () => {
  test("applied twice it changes nothing the second time, and every change has an audit row with the digest", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, plan } = configurationClient(server, ours.key);
    const { prisma } = server.services.database;
    const before = await prisma.audit_entry.count({ where: { org_id: ours.orgId } });
    const { digest, changes } = await apply(complete, { secrets });
    const entries = await prisma.audit_entry.findMany({
      where: { org_id: ours.orgId },
      orderBy: { position: "asc" },
      skip: before,
    });
    expect(entries.map(({ action }) => action).sort()).toEqual(
      [
        ["api_key.create", 2],
        ["budget.create", 2],
        ["configuration.apply", 1],
        ["alert_channel.create", 2],
        ["alert_rule.create", 2],
        ["preset.create", 1],
        ["destination.create", 2],
        ["routing_rule.create", 3],
        ["workspace.create", 2],
        ["catalogue_entry.create", 5],
        ["catalogue_entry.update", 1],
        ["byok.create", 2],
        ["tags.update", 2],
      ]
        .flatMap(([action, times]) => Array<unknown>(Number(times)).fill(action))
        .sort(),
    );
    expect(changes).toHaveLength(25);
    for (const { after } of entries) expect(after).toMatchObject({ plan_digest: digest });
    const state = await rowsOf(server, ours.orgId);
    expect((await apply(complete, { secrets, prune: true })).changes).toEqual([]);
    expect(await rowsOf(server, ours.orgId)).toEqual(state);
    expect((await plan(complete)).secrets).toEqual([
      "env:PROVIDER",
      "env:COLLECTOR",
      "env:HOOK",
      "env:DUTY",
      "env:SIGNING",
    ]);
  });

  test("a change that fails undoes all changes before it, and the error names the resource", async () => {
    const ours = await newEmptyOrganisation(server);
    const { call } = configurationClient(server, ours.key);
    const before = await rowsOf(server, ours.orgId);
    const file = complete.replace("http://127.0.0.1:9/hook", "http://192.0.2.1/hook");
    const { status, error } = await call("/config/apply", { file, digest: null, secrets });
    expect([status, error.message]).toEqual([
      400,
      expect.stringContaining('destinations, "Hook (webhook)": config.url:'),
    ]);
    expect(await rowsOf(server, ours.orgId)).toEqual(before);
  });

  test("a secret that is not valid is refused without being shown, and the error names the resource", async () => {
    const ours = await newEmptyOrganisation(server);
    const { call } = configurationClient(server, ours.key);
    const invalid = { ...secrets, "env:PROVIDER": "qwertz" };
    const { status, error } = await call("/config/apply", { file: complete, digest: null, secrets: invalid });
    expect([status, error.message]).toEqual([
      400,
      'credentials, "Our account (our-gpu)": key: must have 8 characters at least',
    ]);
  });

  test("a plan whose state has changed is not applied, unless no digest is given", async () => {
    const ours = await newEmptyOrganisation(server);
    const { call, plan, apply } = configurationClient(server, ours.key);
    const file = "version: 1\nworkspaces:\n  - { name: A, limit: 5 }\n";
    const { digest } = await plan(file);
    await server.post("/workspaces", { name: "A" }, { key: ours.key });
    const refused = await call("/config/apply", { file, digest });
    expect([refused.status, refused.error.param]).toEqual([409, "digest"]);
    const other = await call("/config/apply", {
      file: `${file}  - name: B\n`,
      digest: (await plan(file)).digest,
    });
    expect(other.status).toBe(409);
    expect((await apply(file, { digest: (await plan(file)).digest })).changes).toMatchObject([
      { action: "update" },
    ]);
    await apply(`${file}  - name: B\n`);
    expect((await rowsOf(server, ours.orgId)).workspaces).toBe(2);
  });

  test("a generated key is shown once and works; a given one works as well; neither is in an export", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, call, plan, export: exported } = configurationClient(server, ours.key);
    const given = mintKey("ptl");
    const file = "version: 1\nkeys:\n  - name: made\n  - { name: given, secret: env:KEY }\n";
    const missing = await call("/config/apply", { file, digest: null });
    expect([missing.status, missing.error.message]).toEqual([400, "secrets: there is no value for env:KEY"]);
    const wrong = await call("/config/apply", { file, digest: null, secrets: { "env:KEY": "ptl_short" } });
    expect([wrong.status, wrong.error.message]).toEqual([
      400,
      expect.stringContaining('keys, "given": secret: must be'),
    ]);
    const { keys } = await apply(file, { secrets: { "env:KEY": given } });
    expect(keys).toEqual([{ name: "made", key: expect.stringMatching(/^ptl_/) }]);
    for (const key of [given, keys[0]?.key ?? ""])
      expect((await server.send("GET", "/key", { key })).status).toBe(200);
    expect(await exported()).not.toContain(given.slice(20));
    expect((await plan(file, { secrets: { "env:KEY": given } })).changes).toEqual([]);
    const another = await call("/config/plan", { file, secrets: { "env:KEY": mintKey("ptl") } });
    expect([another.status, another.error.message]).toEqual([
      400,
      expect.stringContaining("keys.1.secret, line 4: the key has another secret"),
    ]);
  });

  test("a changed secret is seen and stored without being shown, and a secret that is not sent stays", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, plan } = configurationClient(server, ours.key);
    const file =
      "version: 1\ndestinations:\n  - name: Hook\n    type: webhook\n    config: { url: http://127.0.0.1:9, api_key: env:HOOK }\n";
    await apply(file, { secrets: { "env:HOOK": "first" } });
    const changed = await plan(file, { secrets: { "env:HOOK": "second" } });
    expect(changed.changes).toMatchObject([
      {
        action: "update",
        fields: [{ field: "config.apiKey", before: "********", after: "******** (changed)" }],
      },
    ]);
    await apply(file, { secrets: { "env:HOOK": "second" } });
    expect((await plan(file, { secrets: { "env:HOOK": "second" } })).changes).toEqual([]);
    await apply(file.replace("webhook\n", "webhook\n    residency: eu\n"));
    expect((await plan(file, { secrets: { "env:HOOK": "second" } })).changes).toMatchObject([
      { fields: [{ field: "residency", before: "eu", after: null }] },
    ]);
  });
});
