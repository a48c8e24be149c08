import { Anchor, List, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { formatAbsolute } from "#app/_lib/format.ts";
import type { ExplainedRule } from "#contract/explanation.ts";

const scopes: Readonly<Record<NonNullable<ExplainedRule["scope"]>, string>> = {
  org: "for the organisation",
  workspace: "for a workspace",
  user: "for a person",
  api_key: "for an API key",
};

/** `for the organisation, set by Ada on 3 Nov 2026, 10:15 CET`. */
function originOf({ scope, changed_by: by, changed_at: at }: ExplainedRule): string {
  const set = [by && `by ${by}`, at && `on ${formatAbsolute(at)}`].filter(Boolean).join(" ");
  return [scope && scopes[scope], set && `set ${set}`].filter(Boolean).join(", ");
}

/** A routing rule in a list: what it asks for, for whom, and who set it. */
export function RuleItem({ rule, children }: { rule: ExplainedRule; children?: ReactNode }) {
  const { id, name, requirements } = rule;
  return (
    <List.Item>
      {name === null ? (
        "A rule that was deleted or that you may not see"
      ) : (
        <Anchor size="sm" component={Link} href={`/routing-rules?edit=${id}`}>
          {name}
        </Anchor>
      )}
      {requirements.length > 0 && `: ${requirements.join(", ")}`}
      <Text size="xs" c="dimmed">
        {originOf(rule)}
      </Text>
      {children}
    </List.Item>
  );
}
