import { expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { searchAll } from "#server/api/search.ts";
import { populateOrganisation } from "./populated-organisation.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const [ours, theirs] = [await populateOrganisation(server), await populateOrganisation(server)];
const { services } = server;
const { prisma } = services.database;

const find = (text: string, caller: Caller = ours.caller) => searchAll(services, caller, text);

/** Something of each kind, by a text that finds it, and where it leads. */
async function things() {
  const { orgId } = ours;
  const where = { id: ours.ruleId };
  const rule = await prisma.routing_rule.findFirstOrThrow({ where });
  const key = await prisma.api_key.findFirstOrThrow({ where: { id: ours.keyId } });
  const destination = await prisma.destination.findFirstOrThrow({ where: { id: ours.destinationId } });
  const workspace = await prisma.workspace.findFirstOrThrow({ where: { id: ours.workspaceId } });
  const budget = await prisma.budget.findFirstOrThrow({ where: { org_id: orgId } });
  const member = await prisma.user.findFirstOrThrow({ where: { id: ours.userId } });
  return [
    ["Request", ours.generationId, `/logs?open=${ours.generationId}`],
    ["Request", `gen-${ours.generationId}`, `/logs?open=${ours.generationId}`],
    ["API key", key.name.toUpperCase(), `/keys?open=${key.public_id}`],
    ["Model", "sandbox/ch", "/models?open=sandbox%2Fchat"],
    ["Provider", "sandbox germ", "/providers?open=sandbox-de"],
    ["Routing rule", rule.name.slice(0, 4), `/routing-rules?edit=${rule.id}`],
    ["Preset", ours.presetName, `/presets?open=${ours.presetName}`],
    ["Member", member.name, "/settings/members"],
    ["Workspace", workspace.name, "/settings/workspaces"],
    ["Budget", budget.name, `/budgets?edit=${budget.id}`],
    ["Destination", destination.name, `/destinations?open=${destination.id}`],
  ] as const;
}

test("everything with a name or an ID is found, and leads to its page", async () => {
  for (const [kind, text, path] of await things()) {
    const hits = await find(text);
    expect(
      hits.filter((hit) => hit.kind === kind).map((hit) => hit.path),
      `${kind} by ${text}`,
    ).toContain(path);
  }
});

test("nothing of another organisation is found", async () => {
  for (const [kind, , path] of await things()) {
    if (kind === "Model" || kind === "Provider" || path.startsWith("/settings")) continue;
    for (const [, text] of await things()) {
      const hits = await find(text, theirs.caller);
      expect(hits.map((hit) => hit.path)).not.toContain(path);
    }
  }
});

test("a kind is found only with its permission, and at most five of each", async () => {
  const permissions = new Set(["activity:read"] as const);
  for (const [, text] of await things()) {
    const kinds = new Set((await find(text, { ...ours.caller, permissions })).map(({ kind }) => kind));
    expect(["Request", "Model", "Provider"]).toEqual(expect.arrayContaining([...kinds]));
  }
  const models = (await find("a")).filter(({ kind }) => kind === "Model");
  expect(models).toHaveLength(5);
});

test.each(["%", "_", "' or true --", "\\"])("the text %s is nothing but text", async (text) => {
  expect((await find(text)).filter(({ name, id }) => !`${name}${id}`.includes(text))).toEqual([]);
});
