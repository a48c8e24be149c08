import { clock, dateAt } from "#server/platform/clock.ts";
import { sha256 } from "#server/platform/crypto.ts";
import { randomToken, uuidv7 } from "#server/platform/ids.ts";
import type { Mailer } from "#server/platform/mailer.ts";
import { generationRow } from "#test/factories.ts";
import { shippedDocument } from "#test/shipped-document.ts";
import { connectApp } from "./connecting.ts";
import { join } from "./people.ts";
import type { TestServer } from "./server.ts";

const systemOf = async (server: TestServer) => {
  const { id: orgId } = await server.services.database.prisma.organisation.findFirstOrThrow({
    orderBy: [{ created_at: "asc" }, { id: "asc" }],
  });
  return {
    orgId,
    caller: { kind: "system", orgId, userId: uuidv7(), permissions: new Set<never>() },
  } as const;
};

/** A delivery that was given up, on its way to a destination. */
async function failedDelivery({ services }: TestServer, destinationId: string): Promise<string> {
  const id = uuidv7();
  await services.database.prisma.destination_delivery.create({
    data: {
      id,
      destination_id: destinationId,
      generation_id: generationRow({ orgId: id, userId: id, keyId: id }).id,
      status: "failed",
      content: "sent",
      payload: "sealed",
      due_at: "2026-01-01T00:00:00.000Z",
    },
  });
  return id;
}

async function workspaceBudget({ send }: TestServer, workspaceId: string): Promise<string> {
  await send("PUT", `/workspaces/${workspaceId}/budgets/monthly`, { body: JSON.stringify({ limit_usd: 5 }) });
  return "monthly";
}

async function catalogueEntry({ post }: TestServer): Promise<string> {
  const response = await post("/catalogue-entries", { models: [{ id: `own/${uuidv7()}` }] });
  return ((await response.json()) as { data: [{ id: string }] }).data[0].id;
}

/** The shipped catalogue again, applied. */
async function catalogueUpdate({ post }: TestServer): Promise<string> {
  const response = await post("/catalogue-updates", { document: shippedDocument });
  const { id } = ((await response.json()) as { data: { id: string } }).data;
  await post(`/catalogue-updates/${id}/apply`, { compared_with: null });
  return id;
}

/** An incident that is over. */
async function incident(server: TestServer): Promise<string> {
  const { orgId: org_id } = await systemOf(server);
  const made = await server.post("/alert-rules", { name: uuidv7(), kind: "low_credit" });
  const { id: rule_id } = ((await made.json()) as { data: { id: string } }).data;
  const [id, at] = [uuidv7(), dateAt(clock.nowMs())];
  await server.services.database.prisma.alert_incident.create({
    data: {
      ...{ id, org_id, rule_id, rule_name: "Ours", kind: "low_credit", scope: "organisation" },
      ...{
        subject: org_id,
        title: "Low credit",
        detail: "",
        opened_at: at,
        resolved_at: at,
        resolution: "ended",
      },
    },
  });
  return id;
}

async function conversation({ post }: TestServer): Promise<string> {
  const response = await post("/conversations", {});
  return ((await response.json()) as { id: string }).id;
}

async function storedCompletion({ post }: TestServer): Promise<string> {
  const messages = [{ role: "user", content: "Hello." }];
  const response = await post("/chat/completions", { model: "sandbox/chat", messages, store: true });
  return ((await response.json()) as { id: string }).id;
}

async function conversationItem({ post }: TestServer, conversationId: string): Promise<string> {
  const items = [{ type: "message", role: "user", content: "Hello." }];
  const response = await post(`/conversations/${conversationId}/items`, { items });
  return ((await response.json()) as { first_id: string }).first_id;
}

/** A response that can be cancelled as well, which its collection's example cannot. */
async function backgroundResponse({ post }: TestServer): Promise<string> {
  const response = await post("/responses", { model: "sandbox/chat", input: "Hello.", background: true });
  return ((await response.json()) as { id: string }).id;
}

/** One that can be deleted as well, which its collection's example cannot. */
async function suspendedOrganisation({ post }: TestServer): Promise<string> {
  const response = await post("/organisations", { name: "Library", owner_email: `${uuidv7()}@example.eu` });
  const { data } = (await response.json()) as { data: { id: string } };
  await post(`/organisations/${data.id}/suspend`, { reason: "For a test" });
  return data.id;
}

/** A channel whose address its owner has not confirmed, with the token of the mail. */
export async function unconfirmedChannel({ post, services }: TestServer) {
  const token = randomToken(32);
  // The server of the contract has no mail server, so that invitations answer their link.
  Object.assign(services.alerts.deps, { mailer: { send: async () => {} } satisfies Mailer });
  const response = await post("/alert-channels", {
    name: uuidv7(),
    type: "webhook",
    address: "https://hooks.example.eu/alerts",
  });
  const { id } = ((await response.json()) as { data: { id: string } }).data;
  // The token of a real mail is only in the mail.
  await services.database.prisma.alert_channel.update({
    where: { id },
    data: {
      type: "email",
      target: `${uuidv7()}@example.eu`,
      confirmed_at: null,
      confirmation_digest: sha256(token),
      confirmation_expires_at: dateAt(clock.nowMs() + 60_000),
    },
  });
  return { id, token };
}

/** The number of an old version, which can be restored and deleted. */
async function oldVersion({ send }: TestServer, preset: string): Promise<string> {
  await send("PATCH", `/presets/${preset}`, { body: JSON.stringify({ system_prompt: "Be brief." }) });
  return "1";
}

/** Makes one resource of a collection that is not made by posting its example; `parentId` is that of the resource around it. */
export const makersFor = (server: TestServer): Record<string, (parentId: string) => Promise<string>> => ({
  "/members": async () => (await join(server, await systemOf(server), "member")).userId,
  "/alert-incidents": () => incident(server),
  "/catalogue-entries": () => catalogueEntry(server),
  "/catalogue-updates": () => catalogueUpdate(server),
  "/organisations": () => suspendedOrganisation(server),
  "/connected-apps": () => connectApp(server),
  "/responses": () => backgroundResponse(server),
  "/chat/completions": () => storedCompletion(server),
  "/conversations": () => conversation(server),
  "/conversations/{conversation_id}/items": (id) => conversationItem(server, id),
  "/presets/{slug}/versions": (preset) => oldVersion(server, preset),
  "/workspaces/{id}/budgets": (workspaceId) => workspaceBudget(server, workspaceId),
  "/broadcast-destinations/{id}/deliveries": (destinationId) => failedDelivery(server, destinationId),
});

/** The token of a new invitation, which stands behind the `#` of its link. */
export async function invite({ post }: TestServer, email: string): Promise<string> {
  const answer = await post("/invitations", { email });
  return new URL(((await answer.json()) as { link: string }).link).hash.slice(1);
}

/** What stands there without anybody making it. */
export const shipped: Record<string, string> = {
  "/models/{model}": "/models/sandbox%2Fchat",
  "/anthropic/models/{model}": "/anthropic/models/sandbox%2Fchat",
  "/models/{author}/{slug}": "/models/sandbox/chat",
  "/model/{author}/{slug}": "/model/sandbox/chat",
  "/models/{author}/{slug}/endpoints": "/models/sandbox/chat/endpoints",
};
