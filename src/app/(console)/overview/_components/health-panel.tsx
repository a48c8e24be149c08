"use client";

import { SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { HealthStatus } from "#app/_ui/health-status.tsx";
import { Panel } from "#app/_ui/panel.tsx";

const pollMs = 15_000;

/** How the available providers have answered recently. */
export function HealthPanel() {
  const health = useQuery(useTRPC().catalogue.health.queryOptions({}, { refetchInterval: pollMs }));
  const shown = health.data?.data ?? [];
  if (shown.length === 0) return null;
  return (
    <Panel title="Provider health">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {shown.map((provider) => (
          <div key={provider.slug}>
            <Text size="sm" fw={500}>
              {provider.name}
            </Text>
            <HealthStatus health={provider} />
          </div>
        ))}
      </SimpleGrid>
    </Panel>
  );
}
