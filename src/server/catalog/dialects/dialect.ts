import { type Parameter, parameterClass, parameters } from "#contract/parameter-classes.ts";

/** Whether and how a provider takes a request field. */
export interface FieldRule {
  /** `unsupported`: it rejects the field, or ignores it without a word. */
  readonly support: "supported" | "unsupported" | "unknown";
  /** The provider's own name for it. */
  readonly name?: string;
  /** Values beyond are moved to this bound. */
  readonly min?: number;
  readonly max?: number;
  /** The only texts it takes. */
  readonly values?: readonly string[];
  /** It is taken only if the request switches reasoning off. */
  readonly withoutReasoning?: true;
  /** It is taken only if the request does not have this other field. */
  readonly insteadOf?: Parameter;
}

export type FieldRules = Readonly<Partial<Record<Parameter, FieldRule>>>;

/** What the models of a family take, where it differs from the provider's other models. */
export interface ModelFamily {
  /** Matches the name of a model, in the catalogue or at the provider. */
  readonly models: RegExp;
  readonly fields: FieldRules;
  /** Fields that the responses operation takes in another way. */
  readonly responses?: FieldRules;
  /** The conversation may not end with a message of the assistant, which the model would continue. */
  readonly withoutPrefill?: true;
  /** Instead of the provider's. */
  readonly formatsWithoutTools?: readonly string[];
}

/** What a provider's API does with the fields of a request. */
export interface Dialect {
  readonly name: string;
  /** What it does with fields that it does not know; rejected ones are not sent. */
  readonly unknownFields: "rejected" | "ignored";
  /**
   * Where it takes messages of the system: only before the conversation, or also within it. Not set: that depends on
   * the template of the model.
   */
  readonly systemMessages?: "first" | "anywhere";
  /** The API's documentation, the server's source or the vendor's SDK that says so, and when it was read. */
  readonly source: string;
  readonly asOf: string;
  /** Fields of chat and completions. What is not listed is unknown. */
  readonly fields: FieldRules;
  /** Fields that the responses operation takes in another way. */
  readonly responses?: FieldRules;
  /**
   * The operation that takes function tools together with reasoning for models whose chat rejects the combination.
   * Absent: there is none.
   */
  readonly toolsWithReasoning?: "responses";
  /** The responses operation reads less than chat does, so chat carries it where there is chat. */
  readonly responsesOverChat?: true;
  /** What `include` may ask of the responses operation; without a list anything. */
  readonly includes?: readonly string[];
  /** A request for a text completion has one text as its prompt. */
  readonly onePrompt?: true;
  /** Types of formats of the answer that chat does not take together with tools. */
  readonly formatsWithoutTools?: readonly string[];
  /** Types of tools in chat; without a list `function`, and any where unknown fields are ignored. */
  readonly toolTypes?: readonly string[];
  /** `tool_choice` can be a list of allowed tools. */
  readonly allowedTools?: true;
  /** Pictures are taken as data, and not by their address. */
  readonly imagesAsDataOnly?: true;
  /** Whether it may store chats unless a request says otherwise. */
  readonly storesChats?: boolean;
  /** The first one that matches applies. */
  readonly families?: readonly ModelFamily[];
}

const unknown: FieldRule = { support: "unknown" };
const unsupported: FieldRule = { support: "unsupported" };

/** What one endpoint does with the fields of a request, by operation. */
export interface EndpointRules {
  /** The name of the dialect. */
  readonly dialect: string;
  readonly unknownFields: Dialect["unknownFields"];
  readonly systemMessages?: Dialect["systemMessages"];
  readonly chat: ReadonlyMap<string, FieldRule>;
  readonly responses: ReadonlyMap<string, FieldRule>;
  readonly toolsWithReasoning?: Dialect["toolsWithReasoning"];
  readonly responsesOverChat?: true | undefined;
  readonly includes?: readonly string[] | undefined;
  readonly onePrompt?: true | undefined;
  readonly formatsWithoutTools?: readonly string[] | undefined;
  readonly toolTypes?: readonly string[] | undefined;
  readonly allowedTools?: true | undefined;
  readonly imagesAsDataOnly?: true | undefined;
  readonly withoutPrefill?: true | undefined;
  /** Whether its provider may store chats unless a request says otherwise. */
  readonly storesChats: boolean;
}

/** The rule of a field at an endpoint for an operation; undefined for fields that we do not know. */
export const fieldRule = (
  rules: Pick<EndpointRules, "chat" | "responses">,
  operation: string,
  name: string,
): FieldRule | undefined => (operation === "responses" ? rules.responses : rules.chat).get(name);

/** The values of a field with which a provider gets it as it is; undefined: all of them. */
const limitOf = (name: string, { min, max, values, withoutReasoning }: FieldRule) =>
  min === undefined && max === undefined && !values && !withoutReasoning
    ? undefined
    : {
        name,
        min: min ?? null,
        max: max ?? null,
        values: values ? [...values] : null,
        without_reasoning: withoutReasoning === true,
      };

/** What an endpoint does with fields by their names alone, and which values of the sent ones it limits. */
export function fieldChanges(rules: EndpointRules, operation: string, names: readonly string[]) {
  const dropped: string[] = [];
  const translated: { from: string; to: string }[] = [];
  const limited: NonNullable<ReturnType<typeof limitOf>>[] = [];
  for (const name of names) {
    const rule = fieldRule(rules, operation, name);
    const support = rule?.support ?? "unknown";
    if (support === "unsupported" || (support === "unknown" && rules.unknownFields === "rejected")) {
      dropped.push(name);
      continue;
    }
    if (rule?.name !== undefined) translated.push({ from: name, to: rule.name });
    const limit = rule && limitOf(name, rule);
    if (limit) limited.push(limit);
  }
  return { dropped, translated, limited };
}

/** What the lists of parameters in catalogues call a field. */
const listedAs: Readonly<Partial<Record<Parameter, string>>> = {
  forced_tool_choice: "tool_choice",
  json_object: "response_format",
  parallel_tool_calls: "tools",
  reasoning_effort: "reasoning",
  top_logprobs: "logprobs",
};

/** Fields of the legacy completions operation, and of audio, which the lists do not describe. */
const unlisted: ReadonlySet<Parameter> = new Set(["echo", "suffix", "best_of", "modalities", "audio"]);

/** Abilities of a model: its list is complete about them, and says little about the rest. */
const abilities: ReadonlySet<string> = new Set([
  "tools",
  "tool_choice",
  "response_format",
  "structured_outputs",
  "reasoning",
  "temperature",
  "top_p",
  "stop",
]);

/** Parameters as the catalogue lists them for an endpoint and for its model; null: no list. */
export interface ParameterLists {
  readonly endpoint: ReadonlySet<string> | null;
  readonly model: ReadonlySet<string> | null;
}

function ruleOf(name: Parameter, rule: FieldRule, lists: ParameterLists): FieldRule {
  if (rule.support === "unsupported") return rule;
  const isListed = (list: ReadonlySet<string>) => list.has(name) || list.has(listedAs[name] ?? name);
  const isListable = !unlisted.has(name) && ["contract", "steering"].includes(parameterClass(name));
  if (lists.endpoint && isListable)
    return isListed(lists.endpoint) ? { ...rule, support: "supported" } : unsupported;
  if (!lists.model) return rule;
  if (isListed(lists.model)) return { ...rule, support: "supported" };
  return abilities.has(listedAs[name] ?? name) ? unsupported : rule;
}

/**
 * What an endpoint does with each field: what the provider's dialect says of its model's family, narrowed by the
 * lists of the catalogue. `names` are the model's names, in the catalogue and at the provider.
 */
export function endpointRules(
  dialect: Dialect,
  names: readonly string[],
  lists: ParameterLists,
): EndpointRules {
  const family = dialect.families?.find(({ models }) => names.some((name) => models.test(name)));
  const rulesOf = (own: FieldRules) =>
    new Map(parameters.map((name) => [name, ruleOf(name, own[name] ?? unknown, lists)] as const));
  return {
    dialect: dialect.name,
    unknownFields: dialect.unknownFields,
    systemMessages: dialect.systemMessages,
    responsesOverChat: dialect.responsesOverChat,
    includes: dialect.includes,
    onePrompt: dialect.onePrompt,
    formatsWithoutTools: family?.formatsWithoutTools ?? dialect.formatsWithoutTools,
    toolTypes: dialect.toolTypes,
    allowedTools: dialect.allowedTools,
    imagesAsDataOnly: dialect.imagesAsDataOnly,
    withoutPrefill: family?.withoutPrefill,
    chat: rulesOf({ ...dialect.fields, ...family?.fields }),
    responses: rulesOf({ ...dialect.fields, ...dialect.responses, ...family?.fields, ...family?.responses }),
    toolsWithReasoning: dialect.toolsWithReasoning,
    storesChats: dialect.storesChats ?? false,
  };
}
