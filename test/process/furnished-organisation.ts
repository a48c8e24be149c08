import type { Caller } from "#server/auth/caller.ts";
import { responseIdOf } from "#server/inference/response-object.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { connectApp } from "./connecting.ts";
import type { Rows } from "./operation-plans.ts";
import { settle } from "./people.ts";
import type { TestServer } from "./server.ts";

export interface FurnishedOrganisation extends Rows {
  readonly key: string;
  readonly caller: Caller;
}

interface Made {
  readonly id: string;
  readonly user_id: string;
}

/** An organisation with a row of everything an operation can ask for. */
export async function furnish(server: TestServer): Promise<FurnishedOrganisation> {
  const { services } = server;
  const { prisma } = services.database;
  const own = await settle(server);
  const make = async (path: string, body: unknown): Promise<Made> => {
    const response = await server.post(path, body, { key: own.key });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${text}`);
    return (JSON.parse(text) as { data: Made }).data;
  };

  // In the background and streamed, so that its events are kept too.
  const input = [{ type: "message", role: "user", content: `For ${own.orgId}` }];
  const answered = await server.post(
    "/responses",
    { model: "sandbox/chat", input, max_output_tokens: 4, background: true, stream: true },
    { key: own.key },
  );
  const responseId = /"id":"(resp_\w+)"/.exec(await answered.text())?.[1] ?? "";
  const items = await server.send("GET", `/responses/${responseId}/input_items`, { key: own.key });
  const { first_id: itemId } = (await items.json()) as { first_id: string };
  await services.billing.drain();
  await server.post("/completions", { model: `no/such-${own.orgId}`, prompt: "x" }, { key: own.key });
  await services.refusedRequests.flush();

  const { public_id: keyHash } = await prisma.api_key.findUniqueOrThrow({ where: { id: own.keyId } });
  const { id: generationId } = await prisma.generation.findFirstOrThrow({ where: { org_id: own.orgId } });
  const rule = await make("/routing-rules", {
    ...{ name: "Ours", scope: "org", auto_apply: false },
    provider: { data_residency: "eu" },
  });
  const invitation = await make("/invitations", { email: `${uuidv7()}@test.example` });
  const account = await make("/service-accounts", { name: "Robot" });
  const credential = await make("/byok", { provider: "mistral", name: "Ours", key: `secret-${uuidv7()}` });
  const config = { endpoint: "https://otel.example.com", headers: { authorization: "Bearer secret" } };
  const destination = await make("/broadcast-destinations", {
    ...{ name: "Collector", type: "otel-collector", config },
  });
  const expires_at = "2100-01-01T00:00:00.000Z";
  const delivery = await prisma.destination_delivery.create({
    data: {
      ...{ id: uuidv7(), destination_id: destination.id, generation_id: generationId },
      ...{ status: "delivered", content: "none", due_at: expires_at },
    },
  });
  const appHost = await connectApp(server, { key: own.key, headers: { "idempotency-key": uuidv7() } });
  await prisma.account.create({
    data: { user_id: own.userId, account_id: own.userId, provider_id: "credential", password: "x" },
  });
  const session = await prisma.session.create({ data: { token: uuidv7(), user_id: own.userId, expires_at } });
  await services.refreshSnapshot();
  const caller = services.recognise({ authorization: `Bearer ${own.key}` });
  if (!caller) throw new Error("The key is not known");
  return {
    orgId: own.orgId,
    userId: own.userId,
    keyId: own.keyId,
    key: own.key,
    workspaceId: own.workspaceId,
    caller,
    keyHash,
    ruleId: rule.id,
    generationId,
    invitationId: invitation.id,
    serviceAccountId: account.user_id,
    destinationId: destination.id,
    deliveryId: delivery.id,
    sessionId: session.id,
    credentialId: credential.id,
    responseId,
    itemId,
    appHost,
  };
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
  invitationId: uuidv7(),
  serviceAccountId: uuidv7(),
  destinationId: uuidv7(),
  deliveryId: uuidv7(),
  sessionId: uuidv7(),
  credentialId: uuidv7(),
  responseId: responseIdOf(uuidv7()),
  itemId: `msg_${"0".repeat(48)}`,
  appHost: `${uuidv7()}.example.eu`,
});
