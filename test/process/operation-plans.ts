import { z } from "zod";
import { appRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";

type Body = Record<string, unknown>;

export interface PlannedOperation {
  /** Dotted name of the procedure. */
  readonly name: string;
  readonly type: "query" | "mutation";
  readonly meta: Meta;
  readonly input: z.ZodType | null;
  /** Dotted places of the fields that hold ids of somebody's rows. */
  readonly idFields: readonly string[];
}

/** The ids of one organisation's rows, by what an operation may ask for. */
export interface Rows {
  readonly orgId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly workspaceId: string;
  readonly ruleId: string;
  readonly generationId: string;
  readonly refusedRequestId: string;
  readonly invitationId: string;
  readonly serviceAccountId: string;
  readonly destinationId: string;
  readonly deliveryId: string;
  readonly sessionId: string;
  readonly credentialId: string;
  readonly budgetId: string;
  readonly alertChannelId: string;
  readonly alertRuleId: string;
  readonly alertIncidentId: string;
  readonly catalogueEntryId: string;
  readonly catalogueUpdateId: string;
  readonly erasureId: string;
  readonly legalHoldId: string;
  readonly packageId: string;
  readonly responseId: string;
  readonly itemId: string;
  readonly conversationId: string;
  readonly conversationItemId: string;
  readonly completionId: string;
  readonly appHost: string;
  readonly presetName: string;
}

/** Whose row a field names, by its place: in one router, else in all. `id` means what the router is about. */
const idMakers: Record<string, (rows: Rows) => unknown> = {
  hash: ({ keyHash }) => keyHash,
  api_key_hash: ({ keyHash }) => keyHash,
  org_id: ({ orgId }) => orgId,
  user_id: ({ userId }) => userId,
  api_key_id: ({ keyId }) => keyId,
  workspace_id: ({ workspaceId }) => workspaceId,
  service_account_id: ({ serviceAccountId }) => serviceAccountId,
  "serviceAccounts.user_id": ({ serviceAccountId }) => serviceAccountId,
  rule_id: ({ ruleId }) => ruleId,
  "alertIncidents.rule_id": ({ alertRuleId }) => alertRuleId,
  channel_ids: ({ alertChannelId }) => [alertChannelId],
  actor_id: ({ keyId }) => keyId,
  subject_id: ({ keyId }) => keyId,
  app_host: ({ appHost }) => appHost,
  "connectedApps.host": ({ appHost }) => appHost,
  delivery_id: ({ deliveryId }) => deliveryId,
  generation_id: ({ generationId }) => generationId,
  response_id: ({ responseId }) => responseId,
  previous_response_id: ({ responseId }) => responseId,
  conversation: ({ conversationId }) => conversationId,
  completion_id: ({ completionId }) => completionId,
  conversation_id: ({ conversationId }) => conversationId,
  "conversations.item_id": ({ conversationItemId }) => conversationItemId,
  allowed_api_key_hashes: ({ keyHash }) => [keyHash],
  api_key_filter: ({ keyId }) => [keyId],
  "after.id": ({ generationId }) => generationId,
  "rule.org_id": ({ orgId }) => orgId,
  "rule.workspace_id": ({ workspaceId }) => workspaceId,
  "rule.api_key_id": ({ keyId }) => keyId,
  "alertChannels.id": ({ alertChannelId }) => alertChannelId,
  "alertIncidents.id": ({ alertIncidentId }) => alertIncidentId,
  "alertRules.id": ({ alertRuleId }) => alertRuleId,
  "budgets.id": ({ budgetId }) => budgetId,
  "catalogueEntries.id": ({ catalogueEntryId }) => catalogueEntryId,
  "catalogueUpdates.id": ({ catalogueUpdateId }) => catalogueUpdateId,
  destination_id: ({ destinationId }) => destinationId,
  "erasures.id": ({ erasureId }) => erasureId,
  "legalHolds.id": ({ legalHoldId }) => legalHoldId,
  "evidencePackages.id": ({ packageId }) => packageId,
  "evidencePackages.rule_id": ({ ruleId }) => ruleId,
  "dataFlows.rule_id": ({ ruleId }) => ruleId,
  "dataFlows.after": ({ generationId }) => generationId,
  "byok.id": ({ credentialId }) => credentialId,
  "destinations.id": ({ destinationId }) => destinationId,
  "generations.id": ({ generationId }) => generationId,
  "refusedRequests.id": ({ refusedRequestId }) => refusedRequestId,
  "invitations.id": ({ invitationId }) => invitationId,
  "organisations.id": ({ orgId }) => orgId,
  "presets.slug": ({ presetName }) => presetName,
  "profile.id": ({ sessionId }) => sessionId,
  "responses.input": ({ itemId }) => [{ type: "item_reference", id: itemId }],
  "routingRules.id": ({ ruleId }) => ruleId,
  "members.id": ({ workspaceId }) => workspaceId,
  "workspaceBudgets.id": ({ workspaceId }) => workspaceId,
  "workspaces.id": ({ workspaceId }) => workspaceId,
};

/** Named like ids, and nobody's rows: a client's own words, or what is the same for all. */
const notRows = new Set([
  ...["client_id", "session_id", "request_id", "catalogue.id", "after_id", "before_id", "facts_hash"],
]);

/** Values of required fields that no example gives, or not one that is accepted. */
const plain: Record<string, unknown> = {
  code: "A".repeat(43),
  "search.text": "sandbox",
  code_verifier: "A".repeat(43),
  "catalogue.id": "sandbox/chat",
  "catalogue.provider": "sandbox-fr",
  model: "sandbox/chat",
  author: "sandbox",
  group: "api_key_id",
  interval: "monthly",
  slug: "chat",
  "presets.version": "1",
  "audit.position": "1",
  "transparencyLog.from": "1",
  token: "A".repeat(43),
  name: "Planned",
  rule: { name: "Draft", scope: "org", provider: {} },
  from: "2026-01-01T00:00:00.000Z",
  to: "2026-01-02T00:00:00.000Z",
  callback_url: "https://app.example.eu/callback",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
};

/** Some filters are for reports that name no period. */
const withoutPeriod: Body = { from: undefined, to: undefined, group_by: undefined };

/** What has to stand beside a field for it to mean anything. */
const notOfEndUser = { end_user: undefined };
const companions: Record<string, Body> = {
  "dataSubjects.user_id": notOfEndUser,
  "dataSubjects.api_key_id": notOfEndUser,
  "erasures.user_id": notOfEndUser,
  "erasures.api_key_id": notOfEndUser,
  "legalHolds.user_id": notOfEndUser,
  "legalHolds.api_key_id": notOfEndUser,
  "activity.api_key_hash": withoutPeriod,
  "activity.user_id": withoutPeriod,
  "activity.workspace_id": withoutPeriod,
  "credits.after.id": { after: { created_at: "2100-01-01T00:00:00.000Z" } },
  "after.id": { after: { started_at: "2100-01-01T00:00:00.000Z" } },
  "rule.workspace_id": { rule: { name: "Draft", scope: "workspace", provider: {} } },
  "rule.api_key_id": { rule: { name: "Draft", scope: "api_key", provider: {} } },
  "routingRules.workspace_id": { scope: "workspace" },
  "routingRules.api_key_id": { scope: "api_key" },
};

const specific = <T>(table: Record<string, T>, operation: string, field: string): T | undefined =>
  table[`${operation.split(".")[0]}.${field}`] ?? table[field];

const looksLikeId = (field: string): boolean => /^(id|hash)$|_(ids?|hash|hashes)$/.test(field);

interface Shape {
  readonly properties: Record<string, Shape>;
  readonly required: readonly string[];
}

/** The fields of an object schema, those of objects in it included; a schema is read no deeper than twice. */
function shapeOf(input: z.ZodType | null): Shape {
  if (!input) return { properties: {}, required: [] };
  const complete = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Body;
  const read = (schema: Body, depth: number): Shape => {
    const name = String(schema.$ref ?? "")
      .split("/")
      .at(-1);
    const resolved = name ? ((complete.$defs as Body)[name] as Body) : schema;
    const properties = Object.entries((resolved.properties ?? {}) as Record<string, Body>);
    return {
      properties: Object.fromEntries(
        depth === 0 ? [] : properties.map(([field, inner]) => [field, read(inner, depth - 1)]),
      ),
      required: (resolved.required ?? []) as string[],
    };
  };
  return read(complete, 2);
}

const placesIn = ({ properties }: Shape): string[] =>
  Object.entries(properties).flatMap(([field, inner]) => [
    field,
    ...Object.keys(inner.properties).map((innerField) => `${field}.${innerField}`),
  ]);

interface Definition {
  readonly type: "query" | "mutation";
  readonly meta?: Meta;
  readonly inputs: readonly z.ZodType[];
}

function planned(name: string, { type, meta = {}, inputs }: Definition): PlannedOperation {
  const input = inputs[0] ?? null;
  const places = placesIn(shapeOf(input)).filter(
    (place) => !notRows.has(place) && !notRows.has(`${name.split(".")[0]}.${place}`),
  );
  const idFields = places.filter((place) => {
    if (specific(idMakers, name, place)) return true;
    if (!looksLikeId(place.split(".").at(-1) ?? "")) return false;
    throw new Error(`The matrix has no row for ${place} of ${name}: add it to idMakers`);
  });
  return { name, type, meta, input, idFields };
}

/** Every operation of the program. Throws for one with an id field that `idMakers` does not know. */
export const operations: readonly PlannedOperation[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, { _def: Definition }>,
).map(([name, { _def }]) => planned(name, _def));

export function idOf({ name }: PlannedOperation, field: string, rows: Rows): unknown {
  const make = specific(idMakers, name, field);
  if (!make) throw new Error(`No row for ${field} of ${name}`);
  return make(rows);
}

let made = 0;

/** Input an operation accepts, about rows of one's own. Throws for a required field that has no plan. */
export function inputOf(operation: PlannedOperation, own: Rows): Body {
  const { name, meta, input } = operation;
  const { properties, required } = shapeOf(input);
  const complete: Body = { ...meta.example };
  for (const field of required) {
    if (operation.idFields.includes(field)) complete[field] = idOf(operation, field, own);
    else complete[field] = specific(plain, name, field) ?? complete[field];
    if (complete[field] === undefined)
      throw new Error(`The matrix has no value for ${field} of ${name}: add it to plain`);
  }
  // Names may be unique; those of presets are written like paths.
  if ("name" in properties && "name" in complete)
    complete.name = name === "presets.create" ? `planned-${made++}` : `Planned ${made++}`;
  return complete;
}

/** The same input, but one field names a row of somebody else. */
export function askingFor(operation: PlannedOperation, field: string, own: Rows, theirs: Rows): Body {
  const asked = { ...inputOf(operation, own), ...specific(companions, operation.name, field) };
  const complete: Body = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const [outer = "", inner] = field.split(".");
  const value = idOf(operation, field, theirs);
  return {
    ...complete,
    [outer]: inner ? { ...(complete[outer] as Body | undefined), [inner]: value } : value,
  };
}
