import { List, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { RuleItem } from "#app/_ui/rule-item.tsx";
import type { RefusalExplanation } from "#contract/refusal-explanation.ts";

type Reason = RefusalExplanation["reasons"][number];

/** `Excludes 9 of 12 endpoints; 3 of them meet everything else.` */
function effectText({ excluded, alone }: Reason, all: number): string {
  const only =
    alone > 0 ? `; ${formatCount(alone)} of them meet${alone === 1 ? "s" : ""} everything else` : "";
  return `Excludes ${formatCount(excluded)} of ${formatCount(all)} endpoints${only}.`;
}

function ReasonItem({ reason, all }: { reason: Reason; all: number }) {
  const { rule, set_by: setBy, requirements, changed_since: changed } = reason;
  const effect = (
    <Text size="xs" c="dimmed">
      {effectText(reason, all)}
      {changed && " The rule was changed after these requests."}
    </Text>
  );
  if (rule) return <RuleItem rule={rule}>{effect}</RuleItem>;
  return (
    <List.Item>
      Set by {setBy}: {requirements.join(", ")}
      {effect}
    </List.Item>
  );
}

/** Who set the requirements that excluded every endpoint, and how much each excludes. */
export function RefusalReasons({ id }: { id: string }) {
  const explanation = useQuery(
    useTRPC().refusedRequests.explanation.queryOptions({ id }, { staleTime: 60_000 }),
  );
  if (explanation.isError)
    return <FailureAlert error={explanation.error} onRetry={() => void explanation.refetch()} />;
  if (!explanation.data) return <Skeleton h={120} />;
  const { summary, reasons, endpoints } = explanation.data.data;
  return (
    <Stack gap="xs" component="section" aria-label="Why">
      <Text fw={600}>{summary}</Text>
      <List size="sm" spacing="xs">
        {reasons.map((reason) => (
          <ReasonItem key={reason.rule_id ?? reason.set_by} reason={reason} all={endpoints} />
        ))}
      </List>
    </Stack>
  );
}
