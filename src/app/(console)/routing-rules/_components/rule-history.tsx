"use client";

import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ChangedField } from "#app/_lib/changed-fields.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useActorNames } from "#app/_lib/use-actor-names.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import type { Draft } from "./draft.ts";
import { draftOfState, fieldChanges, type RuleChange } from "./rule-states.ts";

const titles: Readonly<Record<string, string>> = {
  "routing_rule.create": "Created",
  "routing_rule.update": "Changed",
};
const changesMax = "50";
const notSet = "not set";

const Changes = ({ changes }: { changes: readonly ChangedField[] }) => (
  <ul style={{ margin: 0, paddingLeft: 18 }}>
    {changes.map(({ field, before, after }) => (
      <li key={field}>
        <Text size="xs" style={{ overflowWrap: "anywhere" }}>
          {field}: {before ?? notSet} → {after ?? notSet}
        </Text>
      </li>
    ))}
  </ul>
);

interface StateProps {
  readonly change: RuleChange;
  readonly actor: string;
  readonly isCurrent: boolean;
  readonly nowMs: number;
  readonly onRestore: ((draft: Draft) => void) | null;
}

/** One state of the rule: since when, by whom, and what differs from the one before. */
function State({ change, actor, isCurrent, nowMs, onRestore }: StateProps) {
  const draft = draftOfState(change.after);
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" fw={600}>
          {titles[change.action] ?? change.action} by {actor},{" "}
          <RelativeTime iso={change.occurred_at} nowMs={nowMs} />
        </Text>
        {isCurrent ? (
          <Text size="xs" c="dimmed">
            Current
          </Text>
        ) : (
          draft &&
          onRestore && (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Fill in the state ${change.position}`}
              onClick={() => onRestore(draft)}
            >
              Fill in
            </Button>
          )
        )}
      </Group>
      {change.before !== undefined && change.before !== null && <Changes changes={fieldChanges(change)} />}
    </li>
  );
}

interface RuleHistoryProps {
  readonly ruleId: string;
  /** Fills the form in with an earlier state; null for who may not change the rule. */
  readonly onRestore: ((draft: Draft) => void) | null;
}

/** The states that a rule had, from the audit log. Restoring fills the form in: its dry run shows the effect first. */
export function RuleHistory({ ruleId, onRestore }: RuleHistoryProps) {
  const nowMs = useNow(30_000);
  const actorOf = useActorNames();
  const log = useQuery(
    useTRPC().audit.list.queryOptions({
      subject_type: "routing_rule",
      subject_id: ruleId,
      limit: changesMax,
    }),
  );
  if (log.error) return <FailureAlert error={log.error} onRetry={() => void log.refetch()} />;
  if (!log.data) return <Skeleton h={160} />;
  const [newest] = log.data.data;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        “Fill in” puts an earlier state into the form. Nothing changes until you save it.
      </Text>
      <ol
        aria-label="History of the rule"
        style={{ listStyle: "none", margin: 0, padding: 0, display: "grid", gap: 14 }}
      >
        {log.data.data.map((change) => (
          <State
            key={change.position}
            change={change}
            actor={actorOf(change)}
            isCurrent={change === newest}
            nowMs={nowMs}
            onRestore={onRestore}
          />
        ))}
      </ol>
    </Stack>
  );
}
