import { RoutingRuleCreate, scopeOf } from "#contract/routing-rule.ts";
import { createOf, type Draft, modelsOf } from "./draft.ts";

/** The rule as the API takes it. */
export const jsonOf = (draft: Draft): string => JSON.stringify(createOf(draft), null, 2);

/** Reads such a text back; a problem says why it is not a rule. */
export function readRule(text: string): { readonly draft: Draft } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "This is not valid JSON." };
  }
  const parsed = RoutingRuleCreate.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".") || "The rule"}: ${issue?.message}` };
  }
  const { data } = parsed;
  return {
    draft: {
      name: data.name,
      description: data.description ?? "",
      scope: scopeOf(data),
      workspace_id: data.workspace_id ?? null,
      api_key_id: data.api_key_id ?? null,
      models: modelsOf({ model: data.model ?? null, models: data.models ?? null }),
      provider: data.provider ?? {},
      enabled: data.enabled,
      auto_apply: data.auto_apply,
    },
  };
}
