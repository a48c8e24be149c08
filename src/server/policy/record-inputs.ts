import { type Endpoint, endpointFacts } from "#server/catalog/index.ts";
import { type StoredDocument, storedDocument } from "#server/db/index.ts";
import type { Considered, DecisionInputs } from "./decision-inputs.ts";
import type { EndpointInput, ModelInput, RoutingInput, RuleInput } from "./recorded-inputs.ts";
import type { RoutedPrice } from "./routed-endpoint.ts";
import type { Decision } from "./router.ts";
import type { Rule } from "./rule-index.ts";

/**
 * The version of routing: of what decides which endpoints may serve a request, and of how that is recorded. A change
 * after which a recorded decision would be another one needs a new number; `replay.test.ts` fails until it has one.
 */
export const routingVersion = 1;

/** What a decision was made from, as documents: the first one refers to the others. */
export interface RecordedInputs {
  /** Hash of the first one. */
  readonly hash: string;
  readonly documents: readonly StoredDocument[];
  /** The facts of all endpoints of its models. */
  readonly facts: readonly StoredDocument[];
}

/** Decisions under more rules than this are recorded without what they were made from. */
const rulesMax = 1_000;

const priceOf = ({ currency, input, output, request, searchUnit }: RoutedPrice) => ({
  ...{ currency, input: `${input}`, output: `${output}`, request: `${request}` },
  search_unit: searchUnit === null ? null : `${searchUnit}`,
});

type Fields = Endpoint["rules"]["chat"];

const fieldsOf = (fields: Fields): EndpointInput["chat_fields"] => {
  const named = (support: "supported" | "unsupported") =>
    [...fields].flatMap(([name, rule]) => (rule.support === support ? [name] : [])).sort();
  return { supported: named("supported"), unsupported: named("unsupported") };
};

function endpointOf(endpoint: Endpoint): EndpointInput {
  const { provider, price } = endpoint;
  return {
    id: endpoint.id,
    tag: endpoint.tag,
    facts: endpointFacts(endpoint).hash,
    enabled: endpoint.enabled,
    provider_enabled: provider.enabled,
    credential_name: provider.credentialName,
    auth: provider.auth,
    has_base_url: provider.baseUrl !== null,
    can_publish: provider.canPublish,
    apis: [...endpoint.apis],
    price: price && priceOf(price),
    quantization: endpoint.quantization,
    context_length: endpoint.contextLength,
    max_output_tokens: endpoint.maxOutputTokens,
    supported_parameters: [...endpoint.supportedParameters].sort(),
    chat_fields: fieldsOf(endpoint.rules.chat),
    responses_fields: fieldsOf(endpoint.rules.responses),
  };
}

function modelOf({ model, aliases, endpoints }: Considered): ModelInput {
  return {
    id: model.id,
    aliases,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    assumed_modalities: model.assumedModalities,
    endpoints: endpoints.map(endpointOf),
  };
}

const ruleOf = (rule: Rule): RuleInput => ({
  id: rule.id,
  name: rule.name,
  scope: rule.scope,
  owner_id: rule.ownerId,
  workspace_id: rule.workspaceId,
  models: rule.models,
  preferences: rule.preferences,
  enabled: rule.enabled,
  auto_apply: rule.autoApply,
  updated_at_ms: rule.updatedAtMs,
});

/** Catalogues and rules are immutable: a change makes new ones. */
function remembered<Value>(known: WeakMap<object, Value>, key: object, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

const knownModels = new WeakMap<object, StoredDocument>();
const knownRules = new WeakMap<object, StoredDocument>();

const documentOfModel = (considered: Considered): StoredDocument =>
  remembered(knownModels, considered.endpoints, () => storedDocument(modelOf(considered)));
const documentOfRule = (rule: Rule): StoredDocument =>
  remembered(knownRules, rule, () => storedDocument(ruleOf(rule)));

/** Which of the credentials that a model's endpoints need there were. */
function credentialsOf({ credentials, endpoints, model }: Considered) {
  const names = [...new Set(endpoints.map(({ provider }) => provider.credentialName))].sort();
  return {
    usable: names.filter((name) => credentials.has(name)),
    unreadable: names.filter((name) => credentials.isUnreadable?.(name, model.id) ?? false),
  };
}

function sizeOf(inputs: readonly DecisionInputs[]): RoutingInput["size"] {
  const sizes = inputs.flatMap(({ size }) => size ?? []);
  const [first] = sizes;
  if (!first) return null;
  // The prompt is at least as long as the longest of them, and too short for any other endpoint to be excluded.
  const promptTokens = Math.max(...sizes.map((size) => size.promptTokens));
  return { prompt_tokens: promptTokens, max_tokens: first.maxTokens };
}

/** What decisions about one request were made from; null if too many rules applied. */
export function recordInputs(decisions: readonly Decision[]): RecordedInputs | null {
  const inputs = decisions.map((decision) => decision.inputs);
  const [first] = inputs;
  const rules = [...new Set(decisions.flatMap((decision) => decision.rules))];
  if (!first || rules.length > rulesMax) return null;
  const considered = inputs.map((one) => one.considered);
  const models = considered.map(documentOfModel);
  const ruleDocuments = rules.map(documentOfRule);
  const { apis, defaultResidency, adequacyExclude } = first.considered;
  const body: RoutingInput = {
    version: routingVersion,
    apis,
    parameters: first.parameters,
    size: sizeOf(inputs),
    default_residency: defaultResidency,
    adequacy_exclude: [...adequacyExclude].sort(),
    models: considered.map((one, at) => ({ model: models[at]?.hash ?? "", ...credentialsOf(one) })),
    rules: ruleDocuments.map(({ hash }) => hash),
  };
  const document = storedDocument(body);
  return {
    hash: document.hash,
    documents: [document, ...models, ...ruleDocuments],
    facts: considered.flatMap(({ endpoints }) => endpoints.map(endpointFacts)),
  };
}
