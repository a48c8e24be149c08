import type { Caller } from "#server/access/caller.ts";
import { permissions } from "#server/access/permissions.ts";
import { conversationIdOf } from "#server/inference/conversations/conversation-id.ts";
import { responseIdOf } from "#server/inference/operations/responses/response-object.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { keyPrefix } from "#test/factories.ts";
import { connectApp } from "./connecting.ts";
import type { Rows } from "./operation-plans.ts";
import { newOrganisation } from "./people.ts";
import {
  storeConfirmationMail,
  storeCosignature,
  storeErasure,
  storeExport,
  storeLegalHold,
  storeLimitRefusal,
  storePackage,
  storePublication,
  storeResolvedIncident,
  storeTimestamp,
  storeUpdate,
} from "./populated-rows.ts";
import type { TestServer } from "./server.ts";

export interface PopulatedOrganisation extends Rows {
  readonly key: string;
  readonly caller: Caller;
}

interface Made {
  readonly id: string;
  readonly user_id: string;
}

type Owner = Pick<PopulatedOrganisation, "orgId" | "userId" | "keyId" | "workspaceId" | "key">;

function makerWith(server: TestServer, key: string) {
  return async (path: string, body: unknown): Promise<Made> => {
    const response = await server.post(path, body, { key });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${text}`);
    return (JSON.parse(text) as { data: Made }).data;
  };
}

type RowsOfKey = Pick<
  Rows,
  | "keyHash"
  | "ruleId"
  | "generationId"
  | "refusedRequestId"
  | "destinationId"
  | "deliveryId"
  | "responseId"
  | "itemId"
  | "conversationId"
  | "conversationItemId"
  | "completionId"
  | "appHost"
  | "presetName"
>;

/** A row of everything that a key can ask for or make, whether it belongs to a workspace or not. */
async function rowsOf(server: TestServer, own: Owner, ruleScope: "org" | "workspace"): Promise<RowsOfKey> {
  const { services } = server;
  const { prisma } = services.database;
  const make = makerWith(server, own.key);
  const label = ruleScope === "org" ? own.orgId : own.workspaceId;

  // In the background and streamed, so that its events are stored too.
  const input = [{ type: "message", role: "user", content: `For ${label}` }];
  const answered = await server.post(
    "/responses",
    { model: "sandbox/chat", input, max_output_tokens: 4, background: true, stream: true },
    { key: own.key },
  );
  const responseId = /"id":"(resp_\w+)"/.exec(await answered.text())?.[1] ?? "";
  const items = await server.send("GET", `/responses/${responseId}/input_items`, { key: own.key });
  const { first_id: itemId } = (await items.json()) as { first_id: string };
  const begun = await server.post("/conversations", { items: input }, { key: own.key });
  const { id: conversationId } = (await begun.json()) as { id: string };
  const said = await server.send("GET", `/conversations/${conversationId}/items`, { key: own.key });
  const { first_id: conversationItemId } = (await said.json()) as { first_id: string };
  const completed = await server.post(
    "/chat/completions",
    {
      model: "sandbox/chat",
      messages: [{ role: "user", content: `For ${label}` }],
      max_tokens: 4,
      store: true,
      metadata: { team: label },
    },
    { key: own.key },
  );
  const { id: completionId } = (await completed.json()) as { id: string };
  await services.responses.completionSpool.flushed();
  await services.billing.drain();
  await server.post("/completions", { model: `no/such-${label}`, prompt: "x" }, { key: own.key });
  await services.refusedRequests.flush();

  const { public_id: keyHash } = await prisma.api_key.findUniqueOrThrow({ where: { id: own.keyId } });
  const { id: generationId } = await prisma.generation.findFirstOrThrow({ where: { api_key_id: own.keyId } });
  const refused = await prisma.refused_request.findFirstOrThrow({ where: { api_key_id: own.keyId } });
  const rule = await make("/routing-rules", {
    ...{ name: "Ours", scope: ruleScope, auto_apply: false, provider: { data_residency: "eu" } },
    ...(ruleScope === "workspace" && { workspace_id: own.workspaceId }),
  });
  const config = { endpoint: "https://otel.example.com", headers: { authorization: "Bearer secret" } };
  const destination = await make("/broadcast-destinations", {
    ...{ name: `Collector ${label}`, type: "otel-collector", config, enabled: false },
  });
  const delivery = await prisma.destination_delivery.create({
    data: {
      ...{ id: uuidv7(), destination_id: destination.id, generation_id: generationId },
      ...{ status: "delivered", content: "none", due_at: "2100-01-01T00:00:00.000Z" },
    },
  });
  const presetName = `preset-${label}`;
  await make("/presets", { name: presetName, system_prompt: `For ${label}.`, config: { temperature: 0.5 } });
  const appHost = await connectApp(server, { key: own.key, headers: { "idempotency-key": uuidv7() } });
  return {
    ...{
      keyHash,
      generationId,
      responseId,
      itemId,
      conversationId,
      conversationItemId,
      completionId,
      appHost,
      presetName,
    },
    ...{
      refusedRequestId: refused.id,
      ruleId: rule.id,
      destinationId: destination.id,
      deliveryId: delivery.id,
    },
  };
}

async function callerOf({ services }: TestServer, key: string): Promise<Caller> {
  await services.refreshSnapshot();
  const caller = services.authenticate({ authorization: `Bearer ${key}` });
  if (!caller) throw new Error("The key is not known");
  return caller;
}

/** An organisation with a row of everything an operation can ask for. */
export async function populateOrganisation(server: TestServer): Promise<PopulatedOrganisation> {
  const { prisma } = server.services.database;
  const { orgId, userId, keyId, key, workspaceId } = await newOrganisation(server);
  const own = { orgId, userId, keyId, key, workspaceId };
  const limit = { limit_pico_eur: "1000000000000000", limit_reset: "monthly" };
  await prisma.workspace.update({ where: { id: workspaceId }, data: limit });
  const make = makerWith(server, key);
  // Before the requests, so that it counts them.
  await server.send("PUT", "/tags", { key, body: JSON.stringify({ tags: ["metadata.team"] }) });
  const budget = await make("/budgets", { name: "Ours", measure: "eur", limit: 1_000, period: "month" });
  const entries = await server.post("/catalogue-entries", { models: [{ id: "own/model" }] }, { key });
  const [entry] = ((await entries.json()) as { data: Made[] }).data;
  const rows = await rowsOf(server, own, "org");
  const channel = await make("/alert-channels", {
    ...{ name: "Ours", type: "webhook", address: "https://hooks.example.com/alerts" },
  });
  const alertRule = await make("/alert-rules", {
    ...{ name: "Ours", kind: "budget", channel_ids: [channel.id] },
  });
  await storeLimitRefusal(server, orgId);
  await storeConfirmationMail(server, orgId);
  await storeCosignature(server, orgId);
  await storePublication(server, orgId);
  await storeTimestamp(server, orgId);
  await storeExport(server, orgId);
  const alertIncidentId = await storeResolvedIncident(server, orgId, alertRule.id, channel.id);
  const invitation = await make("/invitations", { email: `${uuidv7()}@test.example` });
  const account = await make("/service-accounts", { name: "Robot" });
  const credential = await make("/byok", { provider: "mistral", name: "Ours", key: `secret-${uuidv7()}` });
  await prisma.account.create({
    data: { user_id: userId, account_id: userId, provider_id: "credential", password: "x" },
  });
  const expires_at = "2100-01-01T00:00:00.000Z";
  const session = await prisma.session.create({ data: { token: uuidv7(), user_id: userId, expires_at } });
  return {
    ...own,
    ...rows,
    caller: await callerOf(server, key),
    invitationId: invitation.id,
    serviceAccountId: account.user_id,
    sessionId: session.id,
    credentialId: credential.id,
    budgetId: budget.id,
    alertChannelId: channel.id,
    alertRuleId: alertRule.id,
    alertIncidentId,
    catalogueEntryId: entry?.id ?? "",
    catalogueUpdateId: await storeUpdate(server, orgId),
    erasureId: await storeErasure(server, own),
    legalHoldId: await storeLegalHold(server, own),
    packageId: await storePackage(server, own),
  };
}

/**
 * A new workspace of an organisation, with a key of its owner that belongs to it and may do everything, and a row of
 * all that can belong to a workspace. Ids of what cannot are those of the organisation.
 */
export async function populateWorkspace(
  server: TestServer,
  organisation: PopulatedOrganisation,
  name: string,
): Promise<PopulatedOrganisation> {
  const { services } = server;
  const { orgId, userId } = organisation;
  const key = mintKey(keyPrefix);
  const system: Caller = { kind: "system", orgId, userId, permissions: new Set() };
  const [workspaceId, keyId] = await services.database.transaction(async (tx) => {
    const { id } = await tx.workspace.create({
      data: { org_id: orgId, name, limit_pico_eur: "1000000000000000", limit_reset: "monthly" },
    });
    const grant = { name, orgId, userId, permissions, workspaceId: id };
    return [id, await storeKey(tx, system, key, keyPrefix, grant)];
  });
  await services.refreshSnapshot();
  const own = { orgId, userId, keyId, key, workspaceId };
  const rows = await rowsOf(server, own, "workspace");
  return { ...organisation, ...own, ...rows, caller: await callerOf(server, key) };
}

/** Well-formed ids that nobody has. */
export const nobodysRows = (): Rows => ({
  orgId: uuidv7(),
  userId: uuidv7(),
  keyId: uuidv7(),
  keyHash: "A".repeat(12),
  workspaceId: uuidv7(),
  ruleId: uuidv7(),
  generationId: uuidv7(),
  refusedRequestId: uuidv7(),
  invitationId: uuidv7(),
  serviceAccountId: uuidv7(),
  destinationId: uuidv7(),
  deliveryId: uuidv7(),
  sessionId: uuidv7(),
  credentialId: uuidv7(),
  budgetId: uuidv7(),
  alertChannelId: uuidv7(),
  erasureId: uuidv7(),
  legalHoldId: uuidv7(),
  packageId: uuidv7(),
  alertRuleId: uuidv7(),
  alertIncidentId: uuidv7(),
  catalogueEntryId: uuidv7(),
  catalogueUpdateId: uuidv7(),
  responseId: responseIdOf(uuidv7()),
  itemId: `msg_${"0".repeat(48)}`,
  conversationId: conversationIdOf(uuidv7()),
  conversationItemId: `msg_${"1".repeat(48)}`,
  completionId: `gen-${uuidv7()}`,
  appHost: `${uuidv7()}.example.eu`,
  presetName: `preset-${uuidv7()}`,
});
