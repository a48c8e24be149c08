import { expect, test } from "vitest";
import { DraftDryRunRequest } from "#contract/routing-rule.ts";
import { authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import { permissionsOf } from "#server/access/permissions.ts";
import { dryRunDraft } from "#server/policy/index.ts";
import type { TestOrganisation } from "#test/factories.ts";
import { join, newOrganisation } from "./people.ts";
import { ruleClient } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { database, inference } = server.services;

const personOf = ({ orgId }: TestOrganisation, userId: string): Caller => ({
  kind: "person",
  orgId,
  userId,
  email: "someone@test.example",
  role: "owner",
  permissions: permissionsOf("owner"),
});

const tryDraft = (caller: Caller, request: object) =>
  dryRunDraft(
    database,
    { router: inference.router(), catalogue: inference.catalogue() },
    authorize(caller, "routing:read", "workspace"),
    DraftDryRunRequest.parse({ model: "sandbox/chat", ...request }),
  );

test("a draft answers as it would once stored, and nothing is stored", async () => {
  const ours = await newOrganisation(server);
  const caller = personOf(ours, ours.userId);
  const rule = { name: "EU", scope: "org", provider: { data_residency: "eu" } };
  const { results, rule_applied } = await tryDraft(caller, { rule });
  expect(results[0]?.providers.toSorted()).toEqual(["sandbox-de", "sandbox-fr"]);
  expect(results[0]?.excluded).toMatchObject([
    { provider: "sandbox-us", field: "data_residency", would_admit: null, set_by: { rule_name: "EU" } },
  ]);
  expect(rule_applied?.name).toBe("EU");
  expect(await database.prisma.routing_rule.count({ where: { org_id: ours.orgId } })).toBe(0);
});

test("a draft that loosens a stored rule shows what the loosening admits, also while it is disabled", async () => {
  const ours = await newOrganisation(server);
  const caller = personOf(ours, ours.userId);
  const { create } = ruleClient(server, ours.key);
  const strict = { name: "Narrow", scope: "org", provider: { only: ["sandbox-fr"] } };
  const stored = await create(strict);
  const loose = { ...strict, provider: { only: ["sandbox-fr", "sandbox-de"] } };
  const added = await tryDraft(caller, { rule: { ...loose, name: "Another" } });
  expect(added.results[0]?.providers).toEqual(["sandbox-fr"]);
  for (const enabled of [true, false]) {
    const replaced = await tryDraft(caller, { rule: { ...loose, enabled }, rule_id: stored.id });
    expect(replaced.results[0]?.providers.toSorted()).toEqual(["sandbox-de", "sandbox-fr"]);
  }
});

test("a draft for a key is tried as that key, with the rules of its owner", async () => {
  const ours = await newOrganisation(server);
  const colleague = await join(server, ours, "member");
  const { create } = ruleClient(server, colleague.key);
  await create({ name: "Mine", provider: { ignore: ["sandbox-fr"] } });
  const rule = {
    name: "Key",
    scope: "api_key",
    api_key_id: colleague.keyId,
    provider: { data_residency: "eu" },
  };
  const { results } = await tryDraft(personOf(ours, ours.userId), { rule });
  expect(results[0]?.providers).toEqual(["sandbox-de"]);
});

test("a rule of others cannot be drafted over", async () => {
  const [ours, theirs] = [await newOrganisation(server), await newOrganisation(server)];
  const { create } = ruleClient(server, theirs.key);
  const { id } = await create({ name: "Theirs" });
  const drafted = tryDraft(personOf(ours, ours.userId), { rule: { name: "x" }, rule_id: id });
  await expect(drafted).rejects.toMatchObject({ code: "NOT_FOUND" });
});
