"use client";

import { Alert, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { toastDone } from "#app/_ui/toast.tsx";
import type { CatalogueComparison } from "#contract/catalogue-update.ts";
import { ApplyForm } from "./apply-form.tsx";
import { DifferenceTable } from "./difference-table.tsx";
import { EffectPanel } from "./effect-panel.tsx";
import { countText, groups, totalOf } from "./update-text.ts";

interface ComparisonSheetProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** How many differences there are, and between what. */
function Summary({ update }: { update: CatalogueComparison }) {
  const total = totalOf(update);
  const count =
    total === 0 ? "No differences" : `${formatCount(total)} ${total === 1 ? "difference" : "differences"}`;
  return (
    <>
      <Text fw={600} role="status">
        {update.in_use ? `${count} from the catalogue before it` : `${count} from the catalogue in use`}
      </Text>
      <Facts
        label="Differences by kind"
        rows={[
          ["Date of the document", update.as_of],
          ...update.counts.map((one) => [groups[one.group], countText(one)] as const),
        ]}
      />
    </>
  );
}

/** What an update changes, and its effect. */
export function ComparisonSheet({ id, onClose }: ComparisonSheetProps) {
  const queryClient = useQueryClient();
  const comparison = useQuery(useTRPC().catalogueUpdates.get.queryOptions({ id }));
  const update = comparison.data?.data;
  const done = async (message: string) => {
    onClose();
    await queryClient.invalidateQueries();
    await toastDone(message);
  };
  return (
    <Sheet title={update?.source ?? "Catalogue update"} onClose={onClose} size="min(920px, 100vw)">
      {comparison.error && (
        <FailureAlert error={comparison.error} onRetry={() => void comparison.refetch()} />
      )}
      {!update && !comparison.error && <Skeleton h={320} />}
      {update && (
        <Stack>
          {update.problem !== null && (
            <Alert variant="default" title="Not used">
              {update.problem}
            </Alert>
          )}
          <Summary update={update} />
          <EffectPanel update={update} />
          <ApplyForm update={update} onDone={(message) => void done(message)} onClose={onClose} />
          <DifferenceTable update={update} />
        </Stack>
      )}
    </Sheet>
  );
}
