import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { type Permission, permissionsOf } from "#server/access/permissions.ts";
import { askingFor, idOf, inputOf, operations, type PlannedOperation, type Rows } from "./operation-plans.ts";
import { nobodysRows, populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";
import { codeOf, digests, type Outcome, run as runAs, shownBy } from "./tenant-matrix.ts";

const server = await startTestServer();
const { send } = server;
const [ours, victim] = [await populateOrganisation(server), await populateOrganisation(server)];
const nobodys = nobodysRows();

/** The ids alone, without what else is known of the organisation. */
const idsOf = (rows: Rows): string[] => Object.keys(nobodys).map((name) => rows[name as keyof Rows]);
const markers = idsOf(victim);

/** The clock's own rows: leases are renewed, budgets of requests are taken. */
const moving = new Set(["credit_lease", "instance_heartbeat", "rate_window"]);
/** A digest of every row anywhere that names something of the organisation: its audit log and its money included. */
const stateOf = (rows: Rows) =>
  digests(server, { holding: idsOf(rows), isCompared: (table) => !moving.has(table) });

await server.services.transparency.sequencer.run();
const before = { ours: await stateOf(ours), victim: await stateOf(victim) };

function run(operation: PlannedOperation, caller: Caller | null, input: unknown): Promise<Outcome> {
  const person =
    caller && operation.meta.personal
      ? { userId: ours.userId, email: "ada@test.example", name: "Ada", sessionId: ours.sessionId }
      : null;
  return runAs(server, operation, caller, input, person);
}

const acting = (permissions: ReadonlySet<Permission>): Caller => ({ ...ours.caller, permissions });
const permissionOf = ({ meta }: PlannedOperation): Permission | undefined => meta.permission;
const managesOrganisations = (operation: PlannedOperation): boolean =>
  permissionOf(operation) === "organisations:write";
/** What only who runs the installation may do, which neither organisation does: no id makes a difference. */
const isOperators = (operation: PlannedOperation): boolean =>
  managesOrganisations(operation) || operation.name.startsWith("catalogueUpdates.");
/** What the console asks before anybody is signed in, and REST without a key. */
const beforeSignIn = new Set(["session.ways"]);
const isPublic = ({ name, meta }: PlannedOperation): boolean =>
  meta.openapi?.protect === false || beforeSignIn.has(name);

test("the matrix has every operation: those of the document and those of the console alone", async () => {
  const document = (await (await send("GET", "/openapi.json")).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const documented = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const known = operations.map(({ name, meta }) => meta.operationId ?? name.replaceAll(".", "-"));
  expect(documented.filter((name) => !known.includes(name))).toEqual([]);
  expect(operations.length).toBeGreaterThan(documented.length);
  for (const operation of operations) expect(inputOf(operation, ours)).toBeDefined();
});

test("every table that can hold something of an organisation holds something of the victim", () => {
  const empty = Object.entries(before.victim).flatMap(([name, digest]) =>
    digest.startsWith("0 ") ? [name] : [],
  );
  expect(empty.toSorted()).toEqual([
    "_prisma_migrations",
    "config_version",
    "exchange_rate",
    "first_start",
    "history_state",
    // The sequencer has emptied it above.
    "log_pending",
    "price_book_entry",
    // The installation's own, and whom digests of names and addresses stand for.
    "sealing_key",
    "sign_in_attempt",
    // Links of better-auth that wait to be opened, by e-mail address.
    "verification",
  ]);
});

describe("who may not", () => {
  const refused = async (operation: PlannedOperation, caller: Caller | null, code: string) => {
    expect(codeOf(await run(operation, caller, inputOf(operation, ours)))).toBe(code);
    expect(await stateOf(ours)).toEqual(before.ours);
  };

  test.each(operations.filter((operation) => !isPublic(operation)))(
    "$name refuses requests without credentials, and changes nothing",
    (operation) => refused(operation, null, "UNAUTHORIZED"),
  );

  test.each(operations.filter(permissionOf))(
    "$name refuses a key without its permission, and changes nothing",
    async (operation) => {
      const others = [...ours.caller.permissions].filter((one) => one !== permissionOf(operation));
      await refused(operation, acting(new Set(others)), "FORBIDDEN");
    },
  );

  const viewer = permissionsOf("viewer");
  const beyondViewer = operations.filter(({ meta }) => meta.permission && !viewer.has(meta.permission));
  test.each(beyondViewer)("$name refuses a viewer, and changes nothing", (operation) =>
    refused(operation, acting(viewer), "FORBIDDEN"),
  );

  test("a viewer changes nothing but what is their own: every other mutation is beyond them", () => {
    const open = operations.filter(
      ({ type, meta }) =>
        type === "mutation" && !meta.personal && !beyondViewer.some((each) => each.meta === meta),
    );
    expect(open.map(({ name }) => name).sort()).toEqual([
      "alertChannels.confirm",
      "authorization.exchange",
      "budgets.preview",
      "config.planFile",
      "generations.replayDecision",
      "invitations.accept",
      "invitations.view",
      "members.leave",
      "routingRules.dryRun",
      "routingRules.dryRunDraft",
      "routingRules.simulate",
    ]);
  });
});

const reaching = operations.flatMap((operation) =>
  operation.idFields.map((field) => ({ title: `${operation.name} by ${field}`, operation, field })),
);
/** A package has the filter that was asked for, in the caller's own organisation; nothing has to exist for it. */
const deleteMade = () =>
  server.services.database.prisma.evidence_package.deleteMany({
    where: { org_id: ours.orgId, id: { not: ours.packageId } },
  });

/** The ids that were asked for are what may differ between two answers. */
const without = (text: string, rows: Rows): string =>
  idsOf(rows).reduce((rest, id) => rest.replaceAll(id, "<id>"), text);

describe("what belongs to another organisation", () => {
  test.each(reaching)(
    "$title is neither seen nor changed, and answers as if it did not exist",
    async ({ operation, field }) => {
      const ask = async (theirs: Rows) => {
        const outcome = await run(operation, ours.caller, askingFor(operation, field, ours, theirs));
        return { outcome, text: "text" in outcome ? without(outcome.text, theirs) : "" };
      };
      const [foreign, random] = [await ask(victim), await ask(nobodys)];
      expect([codeOf(foreign.outcome), foreign.text]).toEqual([codeOf(random.outcome), random.text]);
      // Both would be alike as well if the matrix asked in a way that nobody is answered.
      expect(["success", "NOT_FOUND", "FORBIDDEN"]).toContain(codeOf(foreign.outcome));
      if ("output" in foreign.outcome) {
        // An answer may repeat what was asked for.
        const asked = String(idOf(operation, field, victim));
        const shown = JSON.stringify(foreign.outcome.output).replaceAll(asked, "<asked>");
        expect(markers.filter((marker) => shown.includes(marker))).toEqual([]);
      }
      await deleteMade();
      expect(await stateOf(victim)).toEqual(before.victim);
    },
  );

  test.each(reaching.filter(({ operation }) => operation.meta.openapi))(
    "$title over HTTP answers a foreign id with the bytes of a random one, but for the request id",
    async ({ operation, field }) => {
      const { method = "GET", path: pattern = "/" } = operation.meta.openapi ?? {};
      const answer = async (theirs: Rows) => {
        const input = askingFor(operation, field, ours, theirs);
        const path = pattern.replace(/\{(\w+)\}/g, (_whole, name: string) => {
          const value = input[name] ?? idOf(operation, name, ours);
          delete input[name];
          return encodeURIComponent(String(value));
        });
        const asked = method === "GET" ? `?${new URLSearchParams(input as Record<string, string>)}` : "";
        const body = ["PATCH", "POST", "PUT"].includes(method) ? { body: JSON.stringify(input) } : {};
        const response = await send(method, path + asked, { key: ours.key, ...body });
        const text = (await response.text()).replace(/"request(?:Id|_id)":"[^"]+"/g, "");
        // What was made or found is another thing each time.
        return {
          status: response.status,
          text: response.ok && method !== "GET" ? "" : without(text, theirs),
        };
      };
      const foreign = await answer(victim);
      expect(foreign).toEqual(await answer(nobodys));
      if (pattern.includes(`{${field}}`)) expect(foreign.status).toBe(isOperators(operation) ? 403 : 404);
      expect(markers.filter((marker) => foreign.text.includes(marker))).toEqual([]);
      await deleteMade();
      expect(await stateOf(victim)).toEqual(before.victim);
    },
  );

  test.each(operations.filter(({ idFields, type }) => idFields.length === 0 && type === "query"))(
    "$name shows nothing of it",
    async (operation) => {
      const outcome = await run(operation, ours.caller, inputOf(operation, ours));
      expect(markers.filter((marker) => shownBy(outcome).includes(marker))).toEqual([]);
    },
  );

  test("nor does an owner of any organisation but the installation's own move credit, set prices or update the catalogue", async () => {
    const billing = operations.filter((operation) => permissionOf(operation) === "billing:write");
    expect(billing.map(({ name }) => name).sort()).toEqual([
      "catalogueUpdates.applyUpdate",
      "catalogueUpdates.create",
      "catalogueUpdates.differences",
      "catalogueUpdates.get",
      "catalogueUpdates.list",
      "catalogueUpdates.undoUpdate",
      "credits.adjust",
      "credits.refund",
      "identity.grantCredits",
      "prices.import",
    ]);
    for (const operation of billing)
      expect(codeOf(await run(operation, ours.caller, inputOf(operation, ours)))).toBe("FORBIDDEN");
  });

  test("nor does one see, make, change or delete organisations", async () => {
    const managing = operations.filter(managesOrganisations);
    expect(managing.map(({ name }) => name).sort()).toEqual([
      "organisations.create",
      "organisations.get",
      "organisations.inviteOwner",
      "organisations.list",
      "organisations.remove",
      "organisations.resume",
      "organisations.suspend",
      "organisations.update",
    ]);
    for (const operation of managing)
      expect(codeOf(await run(operation, ours.caller, inputOf(operation, ours)))).toBe("FORBIDDEN");
    expect(await stateOf(victim)).toEqual(before.victim);
  });

  test("the events of its responses are not streamed either", async () => {
    const text = async ({ responseId }: Rows) => {
      const response = await send("GET", `/responses/${responseId}?stream=true`, { key: ours.key });
      expect(response.status).toBe(404);
      return (await response.text()).replace(/"request(?:Id|_id)":"[^"]+"/g, "");
    };
    expect(await text(victim)).toBe(await text(nobodys));
  });

  test("and each of these questions finds what is one's own", async () => {
    const lost: string[] = [];
    for (const { operation, title, field } of reaching) {
      if (operation.type !== "query" || isOperators(operation)) continue;
      const outcome = await run(operation, ours.caller, askingFor(operation, field, ours, ours));
      if (!("output" in outcome)) lost.push(`${title}: ${outcome.code}`);
    }
    expect(lost).toEqual([]);
  });
});
