import { afterEach, describe, expect, test } from "vitest";
import { alertKindNames } from "#contract/alert-texts.ts";
import { addChannel, addRule, startAlerting, startReceiver } from "#test/alerts/alerting.ts";
import { attempt, kindCases, type Stage, served, store, use } from "#test/alerts/kind-cases.ts";
import { model } from "#test/catalogues.ts";
import { createOrganisation, openTestDatabase } from "#test/factories.ts";

const { database } = await openTestDatabase();
const { prisma } = database;
/** The first organisation runs the installation. */
const operator = await createOrganisation(database);
const { recorder, messages, types } = await startReceiver();
afterEach(async () => {
  recorder.seen.length = 0;
  await prisma.alert_incident.deleteMany({});
  await prisma.alert_rule.deleteMany({});
});

const stage: Stage = { database, catalogue: served() };
const { deps, evaluate, send } = startAlerting(database, () => stage.catalogue);

test.each(["error_rate", "p95_latency", "endpoint_down"] as const)(
  "%s of the installation is not opened by endpoints that an organisation added",
  async (kind) => {
    const organisation = await createOrganisation(database);
    await addRule(deps, operator, { kind, settings: kindCases[kind].settings, scope: "installation" });
    const own = { endpoint: "gpu:gpu/chat", provider: "gpu", model: "gpu/chat" };
    const attempts = [{ ...attempt("timeout"), endpoint: own.endpoint, provider: own.provider }];
    await store(stage, organisation, 20, { ...own, attempts, status: "failed" });
    await store(stage, organisation, 20, { ...own, duration_ms: 60_000 });
    await evaluate();
    expect(await prisma.alert_incident.count()).toBe(0);
  },
);

describe("the alert about a deprecated model", () => {
  const retirement = {
    ...{ deprecatedOn: "2026-11-01", expiresOn: "2027-02-01", successor: "acme/next", headers: {} },
  };
  const announced = "The model is deprecated from 2026-11-01 on. It may be removed on 2027-02-01.";
  test.each([
    [
      "names the keys of the organisation that used it, and of no other",
      undefined,
      " with the API keys: invoices",
    ],
    ["names no organisation's keys to the operator", "installation" as const, ""],
  ])("%s", async (_, scope, used) => {
    const ours = await createOrganisation(database);
    const stranger = await createOrganisation(database);
    await prisma.api_key.update({ where: { id: ours.keyId }, data: { name: "invoices" } });
    await prisma.api_key.update({ where: { id: stranger.keyId }, data: { name: "secret of others" } });
    await use(stage, ours);
    await use(stage, stranger);
    stage.catalogue = served({ model: { ...model("acme/chat"), retirement } });
    const rule = { kind: "deprecated_model", settings: {}, ...(scope && { scope }) } as const;
    await addRule(deps, scope ? operator : ours, rule);
    await evaluate();
    stage.catalogue = served();
    expect(await prisma.alert_incident.findMany({ select: { detail: true } })).toEqual([
      { detail: `${announced} It was used in the last 30 days${used}. Its successor is acme/next.` },
    ]);
  });
});

describe.each(alertKindNames)("the kind %s", (kind) => {
  test("opens once and resolves once, whatever the number of evaluations", async () => {
    const { settings, scope, cause, end } = kindCases[kind];
    const organisation = scope ? operator : await createOrganisation(database);
    const stranger = await createOrganisation(database);
    const channel = await addChannel(deps, organisation, { address: `${recorder.origin}/hook` });
    const rule = await addRule(deps, organisation, {
      ...{ kind, settings, channel_ids: [channel] },
      ...(scope && { scope }),
    });
    if (!scope) await addRule(deps, stranger, { kind, settings });
    const again = async () => {
      await evaluate();
      await evaluate();
      await send();
    };
    await again();
    expect(messages()).toEqual([]);

    await cause(stage, organisation);
    await again();
    expect(types()).toEqual(["alert.opened"]);
    await again();
    expect(types()).toEqual(["alert.opened"]);

    await end(stage, organisation);
    await again();
    await again();
    expect(types()).toEqual(["alert.opened", "alert.resolved"]);
    const [opened, resolved] = messages();
    expect(resolved?.data.title).toBe(opened?.data.title);
    expect(resolved?.id).not.toBe(opened?.id);
    // Nothing of one organisation is an alert of another one.
    expect(await prisma.alert_incident.findMany({ select: { rule_id: true } })).toEqual([{ rule_id: rule }]);
  });
});
