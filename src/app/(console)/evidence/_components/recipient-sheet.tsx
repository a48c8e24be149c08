"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { formatAbsolute } from "#app/_lib/format.ts";
import { EndpointFactsTable } from "#app/_ui/endpoint-facts-table.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { areaLabels } from "./flow-filters.ts";
import { answeredText, type Recipient } from "./recipients.tsx";

interface RecipientSheetProps {
  readonly recipient: Recipient;
  /** Shows only requests to this endpoint, or only those while these facts applied. */
  readonly onFilter: (name: "endpoint" | "facts", value: string) => void;
  readonly onClose: () => void;
}

/** An endpoint that received requests, with what was known of it when they were routed. */
export function RecipientSheet({ recipient, onFilter, onClose }: RecipientSheetProps) {
  const { name, endpoint, area, first_at, last_at, facts, facts_hash } = recipient;
  return (
    <Sheet title={name} onClose={onClose}>
      <Stack gap="lg">
        <Facts
          label="Requests"
          rows={[
            ["Endpoint", endpoint],
            ["Requests", answeredText(recipient)],
            ["First", formatAbsolute(first_at)],
            ["Last", formatAbsolute(last_at)],
            ["Place", areaLabels[area]],
          ]}
        />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => onFilter("endpoint", endpoint)}>
            Only requests to this endpoint
          </Button>
          {facts_hash && (
            <Button size="xs" variant="default" onClick={() => onFilter("facts", facts_hash)}>
              Only requests under these facts
            </Button>
          )}
        </Group>
        <Text fw={600}>What was known when the requests were routed</Text>
        {facts ? (
          <EndpointFactsTable facts={facts} day={last_at.slice(0, 10)} />
        ) : (
          <Text size="sm">It was not recorded: the requests are from an earlier version.</Text>
        )}
        {facts_hash && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            SHA-256 of these facts, as in the receipts of the requests: {facts_hash}
          </Text>
        )}
      </Stack>
    </Sheet>
  );
}
