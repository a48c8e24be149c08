"use client";

import { Button, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useIsOperator } from "#app/_lib/use-may.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";

const GrantDialog = part(() => import("./grant-dialog.tsx").then(({ GrantDialog }) => GrantDialog));

/** The credit of the organisation: available, granted and used. */
export function CreditsPanel() {
  const me = useQuery(useTRPC().identity.me.queryOptions({}));
  const [granting, setGranting] = useState(false);
  const mayGrant = useIsOperator();
  const credits = me.data?.credits;
  return (
    <Panel
      title="Credit"
      aside={
        mayGrant && (
          <Button size="xs" onClick={() => setGranting(true)}>
            Grant credit
          </Button>
        )
      }
    >
      {me.isError && <FailureAlert error={me.error} onRetry={() => void me.refetch()} />}
      {me.isPending && <Skeleton h={52} />}
      {credits && (
        <SimpleGrid component="dl" cols={{ base: 1, xs: 3 }} m={0}>
          {(
            [
              ["Available", credits.balance],
              ["Granted", credits.total_credits],
              ["Used", credits.total_usage],
            ] as const
          ).map(([label, amount]) => (
            <div key={label}>
              <Text component="dt" size="sm" c="dimmed">
                {label}
              </Text>
              <Text component="dd" m={0} fz={20} fw={650}>
                <Eur value={amount} />
              </Text>
            </div>
          ))}
        </SimpleGrid>
      )}
      {granting && <GrantDialog onClose={() => setGranting(false)} />}
    </Panel>
  );
}
