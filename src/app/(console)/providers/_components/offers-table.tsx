"use client";

import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatEurShort } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { ScrollRegion } from "#app/_ui/scroll-region.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { Offer } from "#contract/catalogue-view.ts";

/** What is paid for, in euros: tokens, or searches where those are what costs. */
function priceText({ price }: Offer): string {
  if (!price) return "No price";
  const { prompt, completion, searches } = price.eur;
  if (searches !== null) return `${formatEurShort(searches)} per 1,000 searches`;
  return `${formatEurShort(prompt)} / ${formatEurShort(completion)}`;
}

/** Every model a provider serves, with its price and the way to the history of that. */
export function OffersTable({ provider }: { provider: string }) {
  const offers = useQuery(useTRPC().catalogue.offers.queryOptions({ provider }, { staleTime: 60_000 }));
  if (offers.isError) return <FailureAlert error={offers.error} onRetry={() => void offers.refetch()} />;
  if (offers.isPending) return <Skeleton h={160} />;
  const rows = offers.data.data;
  if (rows.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        Models
      </Title>
      <ScrollRegion label="Models">
        <Table verticalSpacing={6} horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Model</Table.Th>
              <Table.Th scope="col">Prompt / completion</Table.Th>
              <Table.Th scope="col">Prices</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((offer) => (
              <Table.Tr key={offer.id}>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  <Anchor size="sm" component={Link} href={`/models?open=${encodeURIComponent(offer.model)}`}>
                    {offer.model}
                  </Anchor>
                  {offer.tag !== offer.provider && (
                    <Text size="xs" c="dimmed">
                      {offer.tag}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Text size="sm">{priceText(offer)}</Text>
                </Table.Td>
                <Table.Td>
                  <Anchor
                    size="sm"
                    component={Link}
                    href={`/models/prices?endpoint=${encodeURIComponent(offer.id)}`}
                    aria-label={`Price history of ${offer.id}`}
                  >
                    History
                  </Anchor>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      <Text size="xs" c="dimmed">
        In euros per million tokens, excluding VAT
      </Text>
    </Stack>
  );
}
