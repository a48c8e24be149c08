import { recordedReasons } from "#server/policy/index.ts";
import type { Plan } from "./plan.ts";
import type { InferenceRequest } from "./request.ts";

/** The name of an operation in records, and which fields of its requests are stored. */
export interface RecordedAs {
  readonly name: string;
  readonly recorded: ReadonlySet<string>;
}

/** Stored with every record, whatever the operation. */
const alwaysRecorded: ReadonlySet<string> = new Set(["models", "preset", "provider", "rule_id", "rule_name"]);

/** The fields of a request that are stored with its record. */
export function parametersOf(request: InferenceRequest, { recorded }: RecordedAs): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request))
    if (value != null && (recorded.has(name) || alwaysRecorded.has(name))) parameters[name] = value;
  return parameters;
}

/** Of very many rules the narrowest are recorded, because they decide the soft fields. */
const recordedRulesMax = 20;

/** How a request was routed, as its record stores it. */
export function decisionOf({ decisions }: Plan): Record<string, unknown> {
  return {
    models: decisions.map(({ model, strategy, rules, ranked, excluded }) => ({
      model,
      strategy,
      rules: rules.slice(-recordedRulesMax).map(({ id }) => id),
      rule_count: rules.length,
      ranked: ranked.map(({ id }) => id),
      excluded: recordedReasons(excluded),
    })),
  };
}
