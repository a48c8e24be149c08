import { Switch, Text } from "@mantine/core";
import type { Column } from "#app/_ui/data-table.tsx";
import { Status } from "#app/_ui/status.tsx";
import { effectsOf } from "#contract/preference-words.ts";
import type { RoutingRule, RuleScope } from "#contract/routing-rule.ts";
import { modelsOf } from "./draft.ts";
import { scopes } from "./scopes.ts";

const targetOf = (rule: RoutingRule): string => {
  const models = modelsOf(rule);
  if (models.length === 0) return "All models";
  return models.length > 2
    ? `${models.slice(0, 2).join(", ")} and ${models.length - 2} more`
    : models.join(", ");
};

const effectText = ({ provider, auto_apply, problem }: RoutingRule): string => {
  const effect = problem === null ? effectsOf(provider).join("; ") || "no effect" : "excludes every endpoint";
  return auto_apply ? effect : `${effect} (only when a request names it)`;
};

export const ruleColumns = (
  setEnabled: (rule: RoutingRule, enabled: boolean) => void,
  mayChange: (scope: RuleScope) => boolean,
  workspaceName: (id: string) => string | undefined,
): readonly Column<RoutingRule>[] => [
  {
    id: "name",
    header: "Rule",
    cell: (rule) => (
      <>
        <Text component="span" size="sm" fw={500} display="block">
          {rule.name}
        </Text>
        {rule.problem !== null && <Status tone="bad">Cannot be read</Status>}
        {rule.description && (
          <Text component="span" size="xs" c="dimmed" display="block">
            {rule.description}
          </Text>
        )}
        <Text component="span" size="xs" display="block" hiddenFrom="md">
          {effectText(rule)}
        </Text>
      </>
    ),
  },
  {
    id: "scope",
    header: "Applies to",
    visibleFrom: "sm",
    cell: ({ scope, workspace_id: id }) => (
      <>
        {scopes[scope].label}
        {id && (
          <Text component="span" size="xs" c="dimmed" display="block">
            {workspaceName(id) ?? "in one workspace"}
          </Text>
        )}
      </>
    ),
  },
  { id: "target", header: "Models", visibleFrom: "sm", cell: targetOf },
  { id: "effect", header: "Effect", visibleFrom: "md", cell: effectText },
  {
    id: "state",
    header: "On",
    align: "right",
    cell: (rule) =>
      mayChange(rule.scope) ? (
        <Switch
          display="inline-block"
          checked={rule.enabled}
          aria-label={`${rule.name} is enabled`}
          onChange={(event) => setEnabled(rule, event.currentTarget.checked)}
        />
      ) : (
        <Status tone={rule.enabled ? "good" : "neutral"}>{rule.enabled ? "On" : "Off"}</Status>
      ),
  },
];
