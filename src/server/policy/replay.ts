import { z } from "zod";
import type { StoredDocument } from "#server/db/index.ts";
import type { ExchangeRate } from "#server/platform/money.ts";
import { routingVersion } from "./record-inputs.ts";
import { recordedCatalogue } from "./recorded-catalogue.ts";
import { ModelInput, RoutingInput, RuleInput } from "./recorded-inputs.ts";
import { type RouteRecord, routeRecord } from "./route-record.ts";
import { type Ask, createRouter, type Routed } from "./router.ts";
import { type Rule, RuleIndex, type Subject } from "./rule-index.ts";
import { noSignals } from "./signals.ts";

/** The fields of a recorded request that its decision was made from. */
export interface RecordedRequest {
  readonly ask: Ask;
  readonly subject: Subject;
  /** The day (UTC) of the request, `YYYY-MM-DD`. */
  readonly today: string;
  readonly exchangeRate: ExchangeRate;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Endpoints in the order in which they were tried, for each model. It depended on measurements and chance. */
  readonly ranked: readonly (readonly string[])[];
}

/** Returns a stored document by its hash; undefined if there is none. */
export type FindDocument = (hash: string) => StoredDocument | undefined;

export interface ReplayedDecision {
  readonly routed: Routed;
  readonly record: RouteRecord;
}

/** A decision cannot be made again. The message says why. */
export class NotReplayable extends Error {}

function bodyOf(find: FindDocument, hash: string): unknown {
  const document = find(hash);
  if (document) return JSON.parse(document.body);
  throw new NotReplayable(`The inputs ${hash} of this decision are not stored`);
}

const Version = z.object({ version: z.int() });

/** What the basis of a decision refers to. Throws `NotReplayable` if another version of routing made the decision. */
export function readRoutingInput(find: FindDocument, hash: string): RoutingInput {
  const body = bodyOf(find, hash);
  const { version } = Version.parse(body);
  if (version === routingVersion) return RoutingInput.parse(body);
  const message = `Version ${version} of routing made this decision; this is version ${routingVersion}`;
  throw new NotReplayable(message);
}

const ruleFrom = (input: RuleInput, orgId: string): Rule => ({
  ...{ id: input.id, name: input.name, scope: input.scope, orgId, models: input.models },
  ownerId: input.owner_id,
  workspaceId: input.workspace_id,
  preferences: input.preferences,
  enabled: input.enabled,
  autoApply: input.auto_apply,
  updatedAtMs: input.updated_at_ms,
});

/**
 * Makes a recorded decision again with the same engine, from what it was made from. Only the order of the endpoints is
 * taken from the record. Throws `NotReplayable`.
 */
export function replayDecision(
  request: RecordedRequest,
  inputs: RoutingInput,
  find: { readonly input: FindDocument; readonly facts: FindDocument },
): ReplayedDecision {
  const factsOf = (hash: string): StoredDocument => {
    const facts = find.facts(hash);
    if (!facts) throw new NotReplayable(`The facts ${hash} of this decision are not stored`);
    return facts;
  };
  const models = inputs.models.map(({ model }) => ModelInput.parse(bodyOf(find.input, model)));
  const rules = inputs.rules.map((hash) => RuleInput.parse(bodyOf(find.input, hash)));
  const index = new RuleIndex(rules.map((rule) => ruleFrom(rule, request.subject.orgId)));
  const credentialsOf = new Map(models.map(({ id }, at) => [id, inputs.models[at]]));
  const router = createRouter({
    catalogue: recordedCatalogue(models, factsOf, request.exchangeRate),
    credentials: new Set<string>(),
    ownProviders: (_, model) => new Set(credentialsOf.get(model)?.usable),
    unreadableOwn: (_, model) => new Set(credentialsOf.get(model)?.unreadable),
    defaultResidency: inputs.default_residency,
    adequacyExclude: new Set(inputs.adequacy_exclude),
    rules: () => index,
    signals: noSignals,
    random: () => 0,
    orders: request.ranked.map((order) => new Map(order.map((id, at) => [id, at]))),
  });
  const routed = router.route(request.ask, {
    subject: request.subject,
    apis: inputs.apis,
    today: request.today,
    needs: {
      promptTokens: inputs.size?.prompt_tokens ?? 0,
      maxTokens: inputs.size?.max_tokens ?? null,
      parameters: inputs.parameters,
      inputModalities: request.inputModalities,
      outputModalities: request.outputModalities,
    },
  });
  return { routed, record: routeRecord(routed.decisions) };
}
