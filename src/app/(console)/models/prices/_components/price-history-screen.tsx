"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { formatDay } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { ChartPanel } from "#app/_ui/chart-panel.tsx";
import { DataTable } from "#app/_ui/data-table.tsx";
import { EmptyState } from "#app/_ui/empty-state.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { priceChart } from "./price-chart.ts";
import { columnsOf } from "./price-columns.tsx";

const refreshMs = 60_000;
/** The most that the API returns at once; an endpoint's price changes a few times a year. */
const shownMax = 100;

/** Every price an endpoint had, has and will have. */
export function PriceHistoryScreen() {
  const [endpoint] = useQueryState("endpoint", parseAsString);
  if (endpoint) return <EndpointPrices endpoint={endpoint} />;
  return (
    <Screen path="/models/prices">
      <EmptyState
        title="Choose an endpoint"
        text="Open a model and select the price history of one of its endpoints."
      >
        <Button component={Link} href="/models" variant="default" size="xs">
          Models
        </Button>
      </EmptyState>
    </Screen>
  );
}

function EndpointPrices({ endpoint }: { endpoint: string }) {
  const history = useQuery(
    useTRPC().prices.history.queryOptions({ endpoint, limit: String(shownMax) }, { staleTime: 60_000 }),
  );
  const nowMs = useNow(refreshMs);
  const versions = history.data?.data;
  const model = endpoint.slice(endpoint.indexOf(":") + 1);
  return (
    <Screen
      path="/models/prices"
      description={endpoint}
      actions={
        <Button
          component={Link}
          href={`/models?open=${encodeURIComponent(model)}`}
          variant="default"
          size="xs"
        >
          Other providers
        </Button>
      }
    >
      {versions && versions.length > 1 && (
        <ChartPanel
          title="In euros"
          description={`Prices of ${endpoint} in euros, from the first to the last`}
          data={priceChart(versions)}
          height={200}
          empty="This endpoint is free."
        />
      )}
      <DataTable
        label="Prices"
        columns={columnsOf(versions ?? [], nowMs)}
        rows={versions}
        rowId={({ valid_from, version }) => `${valid_from} ${version}`}
        error={history.error}
        onRetry={() => void history.refetch()}
        skeletonRows={2}
        empty={<EmptyState title="No price" text="This endpoint has no price." />}
      />
      {history.data && (
        <Text size="xs" c="dimmed">
          Per million tokens unless stated otherwise, excluding VAT. Converted at{" "}
          {history.data.exchange_rate.usd_per_eur} USD per EUR of {formatDay(history.data.exchange_rate.date)}
          . A request is billed at the price that is valid when it starts.
          {history.data.total_count > shownMax &&
            ` Showing the newest ${shownMax} of ${history.data.total_count}.`}
        </Text>
      )}
    </Screen>
  );
}
