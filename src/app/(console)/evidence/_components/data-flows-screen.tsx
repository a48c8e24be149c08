"use client";

import { Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useFilters } from "#app/_lib/use-filters.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { Concerned } from "./concerned.tsx";
import { FlowFilterBar } from "./flow-filter-bar.tsx";
import { dataFlowFilter, flowFilterNames } from "./flow-filters.ts";
import { FlowSummary } from "./flow-summary.tsx";
import { Recipients, recipientId } from "./recipients.tsx";
import { SaveFlows } from "./save-flows.tsx";

const RecipientSheet = part(() =>
  import("./recipient-sheet.tsx").then(({ RecipientSheet }) => RecipientSheet),
);

const typedMs = 400;
/** A report may read many requests: it is not repeated while somebody reads it. */
const refreshMs = 600_000;

export function DataFlowsScreen() {
  const filters = useFilters(flowFilterNames);
  const [open, setOpen] = useQueryState("open", parseAsString);
  const nowMs = useNow(refreshMs);
  const [debounced] = useDebouncedValue(JSON.stringify(filters.values), typedMs);
  const filter = dataFlowFilter(JSON.parse(debounced), nowMs);
  const flows = useQuery(
    useTRPC().dataFlows.report.queryOptions(filter ?? skipToken, { placeholderData: keepPreviousData }),
  );
  const report = filter ? flows.data : undefined;
  const shown = report?.recipients.find((one) => recipientId(one) === open);
  return (
    <Screen
      path="/evidence"
      actions={filter && report && <SaveFlows filter={filter} report={report} nowMs={nowMs} />}
    >
      <FlowFilterBar filters={filters} />
      {filter ? (
        <Stack gap="lg">
          {report && <FlowSummary report={report} />}
          <Recipients
            rows={report?.recipients}
            nowMs={nowMs}
            selectedId={open}
            onOpen={(row) => void setOpen(recipientId(row))}
            error={flows.error}
            onRetry={() => void flows.refetch()}
            onClearFilters={filters.active > 0 ? filters.clear : undefined}
          />
          {report && report.requests > 0 && <Concerned report={report} onFilter={filters.set} />}
        </Stack>
      ) : (
        <Text size="sm" c="dimmed" role="status">
          Choose when the period begins and ends.
        </Text>
      )}
      {shown && (
        <RecipientSheet
          recipient={shown}
          onFilter={(name, value) => {
            filters.set(name, value);
            void setOpen(null);
          }}
          onClose={() => void setOpen(null)}
        />
      )}
    </Screen>
  );
}
