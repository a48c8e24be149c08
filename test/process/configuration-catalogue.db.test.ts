import { describe, expect, test } from "vitest";
import type { GenerationRow } from "#server/billing/index.ts";
import { clock } from "#server/platform/clock.ts";
import {
  configurationClient,
  newEmptyOrganisation,
  recordRequests,
  servedBy,
  settings,
} from "./configuring.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings });
const { prisma } = server.services.database;

const gpu = (slug: string, more = "") => `
  - name: ${slug}
    entry: { name: GPU, base_url: "http://127.0.0.1:9/${slug}", auth: none, free: true, datacenters: [ DE ]${more} }`;

const before = `version: 1
providers:${gpu("moved")}${gpu("relocated")}${gpu("removed")}${gpu("limited")}
  - { name: withkey, entry: { name: K, base_url: "http://127.0.0.1:9/k", free: true, auth: bearer-optional } }
models:
  - { name: our/chat, entry: {} }
  - { name: our/large, entry: { context_length: 100000 } }
endpoints:
  - { name: "moved:our/chat" }
  - { name: "relocated:our/chat" }
  - { name: "removed:our/chat" }
  - { name: "limited:our/chat" }
  - { name: "limited:our/large" }
credentials:
  - { name: Account, provider: withkey, secret: env:KEY }
rules:
  - { name: EU, provider: { data_residency: eu } }
tags:
  - { name: app }
`;
const after = before
  .replace("\nmodels:", `${gpu("new")}\nmodels:`)
  .replace("\ncredentials:", '\n  - { name: "new:our/chat" }\ncredentials:')
  .replace("/moved", "/another")
  .replace(gpu("relocated"), gpu("relocated").replace("DE", "US"))
  .replace(gpu("removed"), "")
  .replace('  - { name: "removed:our/chat" }\n', "")
  .replace("context_length: 100000", "context_length: 10")
  .replace('  - { name: "limited:our/chat" }', '  - { name: "limited:our/chat", entry: { enabled: false } }')
  .replace("  - { name: Account, provider: withkey, secret: env:KEY }\n", "  []\n")
  .replace("  - { name: app }\n", "  []\n");

const planted: readonly (readonly [string, string, number, string])[] = [
  [
    "provider_address",
    "moved",
    2,
    "2 requests in the last 30 days (EUR 0.500000) would have been sent to http://127.0.0.1:9/another, not to http://127.0.0.1:9/moved",
  ],
  ["provider_removed", "removed", 3, "It served 3 requests in the last 30 days (EUR 0.750000)"],
  ["endpoint_removed", "removed:our/chat", 3, "would not be used any more"],
  ["endpoint_removed", "limited:our/chat", 1, "would not be used any more"],
  ["catalogue_moves", "relocated", 4, "relocated -> "],
  ["catalogue_moves", "removed", 3, "removed -> "],
  ["catalogue_moves", "limited", 1, "limited -> "],
  ["catalogue_refuses", "our/large", 5, "5 of "],
  [
    "endpoint_added",
    "new:our/chat",
    10,
    "10 requests in the last 30 days were for its model, and could have run there",
  ],
  ["credential_removed", "Account (withkey)", 1, "They would need another credential"],
  ["tag_removed", "app", 7, "7 requests in the last 30 days were counted by it"],
];

const record = (
  owner: { orgId: string; userId: string; keyId: string },
  endpoint: string,
  count: number,
  more: Partial<GenerationRow> = {},
) =>
  recordRequests(server, owner, {
    count,
    fromMs: clock.nowMs() - 86_400_000,
    more: () => ({ ...servedBy(endpoint), ...more }),
  });

describe("changes of providers", () => {
  test("the plan names each of the planted consequences on recorded traffic", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, plan } = configurationClient(server, ours.key);
    await apply(before, { secrets: { "env:KEY": "account-secret" } });
    const credential = await prisma.provider_credential.findFirstOrThrow({ where: { org_id: ours.orgId } });
    await record(ours, "moved:our/chat", 2);
    await record(ours, "removed:our/chat", 3);
    await record(ours, "relocated:our/chat", 4);
    await record(ours, "limited:our/chat", 1);
    await record(ours, "limited:our/large", 5, { prompt_tokens: 1000 });
    await record(ours, "sandbox-fr:sandbox/chat", 1, { credential_id: credential.id });
    const day = new Date(clock.nowMs() - 86_400_000);
    const sums = "errors,prompt_tokens,completion_tokens,cached_tokens,reasoning_tokens,search_units".split(
      ",",
    );
    const costs = ["cost_pico_usd", "cost_pico_eur", "upstream_pico_usd"];
    const zeros = Object.fromEntries([...sums, ...costs].map((column) => [column, 0])) as Record<
      string,
      never
    >;
    const place = { org_id: ours.orgId, day, api_key_id: ours.keyId, workspace_id: ours.keyId };
    const counted = { tag: "app", tag_value: "x", model: "m", provider: "p", is_byok: false, requests: 7 };
    await prisma.usage_tag_day.create({ data: { ...zeros, ...place, ...counted } as never });
    const { consequences } = await plan(after, { prune: true });
    for (const [code, name, requests, text] of planted) {
      const named = consequences.find((one) => one.code === code && one.name === name);
      expect([code, name, named?.requests, named?.message]).toEqual([
        code,
        name,
        requests,
        expect.stringContaining(text),
      ]);
    }
    expect((await plan(before, { prune: true })).consequences).toEqual([]);
  });

  test("a new provider that past traffic would have used is one consequence, with its model and endpoint", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, plan } = configurationClient(server, ours.key);
    await record(ours, "sandbox-fr:sandbox/chat", 2);
    const sorted = "rules:\n  - { name: Cheapest, provider: { sort: price } }\n";
    await apply(`version: 1\n${sorted}`);
    const file = `version: 1\nproviders:${gpu("cheap")}\nendpoints:\n  - { name: "cheap:sandbox/chat" }\n`;
    const { consequences } = await plan(file);
    expect(consequences).toMatchObject([
      { code: "endpoint_added", kind: "endpoints", name: "cheap:sandbox/chat", requests: 2 },
      { code: "catalogue_moves", kind: "providers", name: "cheap", requests: 2 },
      { code: "catalogue_places", name: "cheap", requests: 2 },
      { code: "catalogue_cost", name: "cheap", requests: 2 },
    ]);
  });

  test("another price of the operator changes the cost of past traffic", async () => {
    const operator = await prisma.api_key.findFirstOrThrow({
      orderBy: { created_at: "asc" },
      select: { id: true, org_id: true, user_id: true },
    });
    const owner = { orgId: operator.org_id, userId: operator.user_id, keyId: operator.id };
    await record(owner, "sandbox-fr:sandbox/chat", 3, { prompt_tokens: 1000, completion_tokens: 0 });
    const { plan } = configurationClient(server, server.key);
    const price = `{ currency: EUR, input: "7", output: "7" }`;
    const file = `version: 1\nprices:\n  - { endpoint: "sandbox-fr:sandbox/chat", price: ${price} }\n`;
    const { consequences } = await plan(file);
    expect(consequences.filter(({ code }) => code === "catalogue_cost")).toMatchObject([
      {
        name: "sandbox-fr",
        requests: 3,
        message: expect.stringMatching(/^The cost would have been EUR .*, not EUR 0.75/),
      },
    ]);
  });
});

describe("refusals", () => {
  const cases: readonly (readonly [string, string, object])[] = [
    ["providers:\n  - { name: A }\n", "providers.0.name, line 3: must be lower-case", {}],
    [
      "providers:\n  - { name: a, entry: { slug: a } }\n",
      "providers.0.entry.slug, line 3: is a part of the name",
      {},
    ],
    [
      "providers:\n  - { name: a, entry: { name: A, base_url: x } }\n",
      "providers.0.entry.base_url, line 3: must start with http",
      {},
    ],
    ["endpoints:\n  - { name: our/chat }\n", "endpoints.0.name, line 3: must be provider:model", {}],
    ["endpoints:\n  - { name: nobody:sandbox/chat }\n", "endpoints.0", {}],
    [
      "endpoints:\n  - { name: sandbox-fr:sandbox/chat, entry: { price: { currency: EUR, input: '0', output: '0' } } }\n",
      "cannot be changed for the installation",
      {},
    ],
    [
      "credentials:\n  - { name: A, provider: nobody, secret: env:A }\n",
      "credentials.0.provider, line 3: is not in the catalogue",
      {},
    ],
    [
      "credentials:\n  - { name: A, provider: mistral, secret: plain-secret }\n",
      "credentials.0.secret, line 3: must be env:NAME or file:PATH",
      {},
    ],
    ["tags:\n  - { name: color }\n", "tags.0.name, line 3: must be end_user, app, or metadata.", {}],
    [
      `tags:\n${Array.from({ length: 9 }, (_, at) => `  - { name: metadata.k${at} }\n`).join("")}`,
      "there may be 8 at most, and there would be 9",
      {},
    ],
    [
      "prices:\n  - { endpoint: sandbox-fr:sandbox/chat, price: { currency: EUR, input: '0', output: '0' } }\n",
      'say "free": true',
      {},
    ],
    [
      "prices:\n  - { endpoint: nobody:sandbox/chat, price: { currency: EUR, input: '1', output: '1' } }\n",
      "prices.0.endpoint, line 3: is not in the catalogue",
      {},
    ],
  ];
  test.each(cases)("%j", async (section, message, more) => {
    const ours = await newEmptyOrganisation(server);
    const { call } = configurationClient(server, ours.key);
    const { status, error } = await call("/config/plan", { file: `version: 1\n${section}`, ...more });
    expect([status, error.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test("what other entries need cannot be deleted, whether these are used or disabled", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, call } = configurationClient(server, ours.key);
    const file = `version: 1\nproviders:${gpu("mine")}\nmodels:\n  - { name: our/chat }\nendpoints:\n  - { name: "mine:our/chat", enabled: ENABLED }\n`;
    for (const enabled of ["true", "false"]) {
      await apply(file.replace("ENABLED", enabled));
      for (const kind of ["providers", "models"]) {
        const { status, error } = await call("/config/plan", {
          file: `version: 1\n${kind}: []\n`,
          prune: true,
        });
        expect([enabled, kind, status, error.message]).toEqual([
          enabled,
          kind,
          400,
          expect.stringContaining('endpoints "mine:our/chat", which stays, could not be used any more'),
        ]);
      }
    }
  });

  test("entries and prices of the installation, and shared credentials, are only for the operator", async () => {
    const ours = await newEmptyOrganisation(server);
    const { call } = configurationClient(server, ours.key);
    for (const section of [
      "providers:\n  - { name: theirs, scope: installation, entry: { name: A, base_url: 'http://127.0.0.1:9', auth: none } }\n",
      "prices:\n  - { endpoint: sandbox-fr:sandbox/chat, price: { currency: EUR, input: '1', output: '1' } }\n",
      "credentials:\n  - { name: A, provider: mistral, shared: true, secret: env:A }\n",
    ]) {
      const body = { file: `version: 1\n${section}`, digest: null, secrets: { "env:A": "some-secret" } };
      expect([section, (await call("/config/apply", body)).status]).toEqual([section, 403]);
    }
  });

  test("a stored credential is not sent to another host by a file", async () => {
    const ours = await newEmptyOrganisation(server);
    const { apply, call } = configurationClient(server, ours.key);
    const file = `version: 1\nproviders:\n  - { name: mine, entry: { name: A, base_url: "http://127.0.0.1:9", auth: bearer } }\ncredentials:\n  - { name: A, provider: mine, secret: env:A }\n`;
    await apply(file, { secrets: { "env:A": "some-secret" } });
    const moved = file.replace(":9", ":10");
    for (const body of [
      { file: moved },
      { file: `${moved.split("credentials")[0]}credentials: []\n`, prune: true },
    ]) {
      const { status, error } = await call("/config/apply", { ...body, digest: null });
      expect([status, error.message]).toEqual([
        400,
        expect.stringContaining("would receive the stored credential of mine"),
      ]);
    }
  });
});
