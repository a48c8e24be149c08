import { describe, expect, test } from "vitest";
import { purgeOrganisation } from "#server/accounts/index.ts";
import { verifyAudit } from "#server/audit/verify.ts";
import { verifyLogs } from "#server/transparency/index.ts";
import { until } from "#test/until.ts";
import { ignoreAddressLimit } from "./browser.ts";
import { asked, brokenInvariants, leaveRows, organisationClient, tablesOf } from "./managed-organisations.ts";
import { faultyModels } from "./overlay.ts";
import { refusal } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({
  overlay: faultyModels({ quick: { fr: "ok" }, slow: { fr: "slow:20" } }),
});

const { post, services } = server;
const { database } = services;
const { prisma } = database;

ignoreAddressLimit();

const { suspend, remove, createdOrganisation } = organisationClient(server);

describe("a deleted organisation", () => {
  test("must be suspended first, and named", async () => {
    const { id, name } = await createdOrganisation();
    await refusal(await remove(id, name), 409, null);
    await suspend(id);
    await refusal(await remove(id, "Another"), 400, "name");
    expect((await remove(id, name)).status).toBe(200);
    expect((await remove(id, name)).status).toBe(404);
  });

  test("leaves its ledger and its audit log, and nothing else", async () => {
    const { id, name, key, browser, email } = await createdOrganisation();
    await leaveRows(server, key);
    const where = { org_id: id };
    await until(async () => (await prisma.stored_response.count({ where })) === 1);
    const entries = await prisma.audit_entry.count({ where });
    const generations = await prisma.generation.findMany({ where, orderBy: { id: "asc" } });
    const ledger = async () => ({
      transfers: await prisma.ledger_transfer.findMany({ where, orderBy: { id: "asc" } }),
      days: await prisma.usage_day.findMany({ where }),
    });
    const before = await ledger();
    expect(generations.length).toBeGreaterThan(1);

    await suspend(id);
    expect((await remove(id, name)).status).toBe(200);
    await until(async () => (await prisma.refused_request.count({ where })) === 0);
    await until(
      async () => (await prisma.generation.count({ where: { ...where, app_title: { not: null } } })) === 0,
    );

    await services.transparency.sequencer.run();
    const left = await tablesOf(database, id);
    expect(left.filter((table) => table !== "credit_lease")).toEqual([
      ...[
        "audit_entry",
        "audit_head",
        "credit_balance",
        "decision_basis",
        "decision_input",
        "endpoint_facts",
      ],
      ...["generation", "ledger_transfer", "log_bundle", "log_tile", "log_tree", "usage_day"],
    ]);
    expect(await ledger()).toEqual(before);
    const unnamed = generations.map((row) => ({
      ...row,
      ...{ user_reference: null, session_id: null, app_title: null, tags: null, personal_salt: null },
      personal_hash: row.personal_salt && expect.any(Uint8Array),
    }));
    expect(await prisma.generation.findMany({ where, orderBy: { id: "asc" } })).toEqual(unnamed);
    // The last two entries are the suspension and the deletion.
    expect(await prisma.audit_entry.count({ where })).toBe(entries + 2);
    expect((await verifyAudit(database)).broken).toEqual([]);
    const logs = await verifyLogs(database, services.transparency.signer);
    expect(logs.changed.filter(({ orgId }) => orgId === id)).toEqual([]);
    expect(await brokenInvariants(database)).toEqual([]);
    expect(await prisma.user.count({ where: { name: "Robot" } })).toBe(0);

    expect((await post("/completions", asked, { key })).status).toBe(401);
    expect(await browser.read("profile.get")).toMatchObject({ email });
    expect(await browser.read("session.organisations")).toEqual([]);
    expect((await browser.query("session.get")).status).toBe(403);
  });

  test("pays for requests under way, and its leased credit is returned", async () => {
    const { id, name, key } = await createdOrganisation();
    const streaming = await post("/completions", { ...asked, model: "test/slow", stream: true }, { key });
    const reader = streaming.body?.getReader();
    await reader?.read();
    await suspend(id);
    expect((await remove(id, name)).status).toBe(200);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
    const made = await server.record(streaming.headers.get("x-generation-id"));
    expect(made).toMatchObject({ status: "completed", org_id: id });
    expect(made.cost_pico_eur).toBeGreaterThan(0n);
    const charge = await prisma.ledger_transfer.findUniqueOrThrow({ where: { id: made.id } });
    expect(charge).toMatchObject({ org_id: id, kind: "usage" });
    expect(BigInt(charge.amount_pico_eur.toFixed(0))).toBe(made.cost_pico_eur);
    expect(await brokenInvariants(database)).toEqual([]);
  });

  test("is purged in steps, and a purge does not touch an existing organisation", async () => {
    const { id, key } = await createdOrganisation();
    const headers = { "x-title": "Kept" };
    expect((await post("/completions", asked, { key, headers })).status).toBe(200);
    await services.billing.drain();
    await purgeOrganisation(database, id);
    expect(await prisma.generation.count({ where: { org_id: id, app_title: "Kept" } })).toBe(1);
  });
});
