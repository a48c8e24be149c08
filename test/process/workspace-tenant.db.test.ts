import { describe, expect, test } from "vitest";
import { askingFor, idOf, inputOf, operations, type PlannedOperation, type Rows } from "./operation-plans.ts";
import { nobodysRows, populateOrganisation, populateWorkspace } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";
import { codeOf, digests, run, shownBy } from "./tenant-matrix.ts";

/**
 * A key that belongs to a workspace is one more tenant: the same person has a key of another workspace and one of the
 * whole organisation, and all three may do everything. What the first must not reach is what the others made.
 */
const server = await startTestServer();
const { send } = server;
const organisation = await populateOrganisation(server);
const [own, other] = [
  await populateWorkspace(server, organisation, "Own"),
  await populateWorkspace(server, organisation, "Other"),
];
const nobodys = nobodysRows();

type Name = keyof Rows;
const names = Object.keys(nobodys) as Name[];
/** What of the organisation's own rows a workspace is bound by, and may therefore read. */
const binding: ReadonlySet<string> = new Set([
  ...[organisation.ruleId, organisation.presetName],
  ...[organisation.orgId, organisation.userId],
]);
const foreign = (rows: Rows): string[] =>
  names.map((name) => rows[name]).filter((id) => !binding.has(id) && !Object.values(own).includes(id));
const organisations = [
  ...foreign(organisation),
  ...[organisation.invitationId, organisation.serviceAccountId, organisation.credentialId],
];
const markers = [...foreign(other), ...organisations];

/** Rows that requests of the workspace itself move: money, rates, and the heads of chains. */
const shared = new Set([
  ...["credit_lease", "credit_balance", "rate_window", "ledger_transfer", "key_usage", "audit_head"],
  ...["config_version", "stored_response_event", "instance_heartbeat"],
  ...["log_tree", "log_tile", "log_bundle", "log_pending"],
]);
const byWhom = new Set(["audit_entry", "idempotent_request"]);
/** Everything of the organisation but what belongs to the workspace or was done by its key. */
const beyond = async () => ({
  ...(await digests(server, {
    holding: [organisation.orgId, organisation.userId, ...markers],
    without: [own.workspaceId],
    isCompared: (table) => !shared.has(table) && !byWhom.has(table),
  })),
  ...(await digests(server, {
    holding: [organisation.orgId],
    without: [own.keyId],
    isCompared: (table) => byWhom.has(table),
  })),
});
const before = await beyond();

const ask = (operation: PlannedOperation, input: unknown) => run(server, operation, own.caller, input);
const scoped = operations.filter(({ meta }) => meta.scope !== undefined);
const wide = scoped.filter(({ meta }) => meta.scope === "organisation");
const within = scoped.filter(({ meta }) => meta.scope === "workspace");

test("every operation with a permission is in the matrix", () => {
  const permitted = operations.filter(({ meta }) => meta.permission !== undefined);
  expect(permitted.filter(({ meta }) => meta.scope === undefined)).toEqual([]);
});

test("the matrix covers rows of each kind outside the workspace", () => {
  expect(markers.length).toBeGreaterThan(18);
  const held = [
    ...["api_key", "authorization_code", "destination", "generation", "invitation", "member", "organisation"],
    ...[
      "provider_credential",
      "refused_request",
      "routing_rule",
      "stored_completion",
      "stored_response",
      "usage_day",
      "workspace",
    ],
    ...["audit_entry", "idempotent_request"],
  ];
  const empty = Object.entries(before).flatMap(([name, digest]) => (digest.startsWith("0 ") ? [name] : []));
  expect(held.filter((name) => empty.includes(name) || !(name in before))).toEqual([]);
});

describe("operations on the whole organisation", () => {
  test.each(wide)("$name refuses the key, reveals nothing and changes nothing", async (operation) => {
    const outcome = await ask(operation, inputOf(operation, own));
    expect(codeOf(outcome)).toBe("FORBIDDEN");
    expect(markers.filter((marker) => shownBy(outcome).includes(marker))).toEqual([]);
    expect(await beyond()).toEqual(before);
  });

  test.each(wide.filter(({ meta }) => meta.openapi))("$name over HTTP answers 403", async (operation) => {
    const { method = "GET", path: pattern = "/" } = operation.meta.openapi ?? {};
    const input = inputOf(operation, own);
    const path = pattern.replace(/\{(\w+)\}/g, (_whole, name: string) => {
      const value = input[name] ?? idOf(operation, name, own);
      delete input[name];
      return encodeURIComponent(String(value));
    });
    const body = method === "PATCH" || method === "POST" ? { body: JSON.stringify(input) } : {};
    expect((await send(method, path, { key: own.key, ...body })).status).toBe(403);
    expect(await beyond()).toEqual(before);
  });
});

const reaching = within.flatMap((operation) =>
  operation.idFields
    .filter((field) => !["org_id", "user_id", "rule.org_id"].includes(field))
    .map((field) => ({ title: `${operation.name} by ${field}`, operation, field })),
);
const without = (text: string, rows: Rows): string =>
  names.reduce((rest, name) => rest.replaceAll(rows[name], "<id>"), text);

async function asked(operation: PlannedOperation, field: string, theirs: Rows) {
  const outcome = await ask(operation, askingFor(operation, field, own, theirs));
  return { outcome, code: codeOf(outcome), text: "text" in outcome ? without(outcome.text, theirs) : "" };
}

describe("what belongs to another workspace", () => {
  test.each(reaching)(
    "$title is neither seen nor changed, and answers as if it did not exist",
    async ({ operation, field }) => {
      const [theirs, random] = [await asked(operation, field, other), await asked(operation, field, nobodys)];
      expect([theirs.code, theirs.text]).toEqual([random.code, random.text]);
      expect(["success", "NOT_FOUND", "FORBIDDEN"]).toContain(theirs.code);
      expect(
        markers.filter((marker) => shownBy(theirs.outcome).includes(marker) && theirs.code === "success"),
      ).toEqual([]);
      expect(await beyond()).toEqual(before);
    },
  );
});

describe("what belongs to the organisation and to no workspace", () => {
  test.each(reaching)(
    "$title is not changed, and not seen unless it binds the workspace",
    async ({ operation, field }) => {
      const theirs = await asked(operation, field, organisation);
      if (!binding.has(String(idOf(operation, field, organisation)))) {
        const random = await asked(operation, field, nobodys);
        expect([theirs.code, theirs.text]).toEqual([random.code, random.text]);
      }
      expect(["success", "NOT_FOUND", "FORBIDDEN"]).toContain(theirs.code);
      if (theirs.code === "success")
        expect(markers.filter((marker) => shownBy(theirs.outcome).includes(marker))).toEqual([]);
      expect(await beyond()).toEqual(before);
    },
  );

  test("is not made either: whatever is made belongs to the workspace", async () => {
    const making: readonly [string, object][] = [
      ["/keys", { name: "Wide", workspace_id: null }],
      [
        "/broadcast-destinations",
        { name: "Wide", type: "webhook", config: { url: "https://x.example" }, workspace_id: null },
      ],
      [
        "/broadcast-destinations",
        { name: "W", type: "webhook", config: { url: "https://x.example" }, org_id: own.orgId },
      ],
      ["/presets", { name: "wide", workspace_id: null }],
      ["/routing-rules", { name: "Wide", scope: "org", provider: {} }],
      ["/routing-rules", { name: "Wide", org_id: own.orgId, provider: {} }],
    ];
    for (const [path, body] of making)
      expect((await server.post(path, body, { key: own.key })).status, JSON.stringify(body)).toBe(403);
    const rule = await server.post(
      "/routing-rules",
      { name: "Mine", scope: "user", provider: {} },
      { key: own.key },
    );
    expect(await rule.json()).toMatchObject({ data: { scope: "user", workspace_id: own.workspaceId } });
    expect(await beyond()).toEqual(before);
  });
});

describe("the workspace itself", () => {
  test.each(scoped.filter(({ type }) => type === "query"))(
    "$name shows nothing from beyond it",
    async (operation) => {
      const outcome = await ask(operation, inputOf(operation, own));
      expect(markers.filter((marker) => shownBy(outcome).includes(marker))).toEqual([]);
    },
  );

  test("each of these questions finds what is the workspace's own, and the rules that bind it", async () => {
    const lost: string[] = [];
    for (const { operation, title, field } of reaching) {
      if (operation.type !== "query") continue;
      const { outcome } = await asked(operation, field, own);
      if (!("output" in outcome)) lost.push(`${title}: ${outcome.code}`);
    }
    expect(lost).toEqual([]);
    const rule = operations.find(({ name }) => name === "routingRules.get") as PlannedOperation;
    expect(codeOf(await ask(rule, { id: organisation.ruleId }))).toBe("success");
  });

  test("GET /me shows the caller but not the organisation's credit", async () => {
    const me = await (await send("GET", "/me", { key: own.key })).json();
    expect(me).toMatchObject({ org_id: own.orgId, credits: null });
  });

  test("lists hold what is its own, and every one of them is found in some list", async () => {
    const listing = within.filter(({ type, idFields }) => type === "query" && !idFields.includes("id"));
    const all = (await Promise.all(listing.map((operation) => ask(operation, inputOf(operation, own))))).map(
      shownBy,
    );
    for (const id of [
      own.keyId,
      own.ruleId,
      own.generationId,
      own.destinationId,
      own.workspaceId,
      own.appHost,
      own.presetName,
    ])
      expect(
        all.some((text) => text.includes(id)),
        id,
      ).toBe(true);
  });
});
