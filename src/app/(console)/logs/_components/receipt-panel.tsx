"use client";

import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { destinationName } from "#app/_lib/delivery-words.ts";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { EndpointFactsTable } from "#app/_ui/endpoint-facts-table.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { VerifyLink } from "#app/_ui/verify-link.tsx";
import { EndpointFacts } from "#contract/endpoint-facts.ts";
import type { GenerationDetail } from "#contract/generation.ts";
import { readRecord, traceText } from "./receipt-record.ts";
import { SaveReceipt } from "./save-receipt.tsx";

type Attempt = GenerationDetail["tries"][number];

/** A provider that received the request, and what was known of it then. */
function Receiver({ attempt, facts, day }: { attempt: Attempt; facts: EndpointFacts | null; day: string }) {
  const { endpoint, outcome, status } = attempt;
  return (
    <section aria-label={endpoint}>
      <Text fw={600}>{facts?.provider.name ?? attempt.provider}</Text>
      <Text size="sm" c="dimmed" mb="xs" style={{ overflowWrap: "anywhere" }}>
        {endpoint} · {outcome}
        {status !== null && ` · ${status}`}
      </Text>
      {facts ? (
        <EndpointFactsTable facts={facts} day={day} />
      ) : (
        <Text size="sm">What was known of it was not recorded.</Text>
      )}
    </section>
  );
}

const read = (text: string): EndpointFacts[] => {
  const { data } = EndpointFacts.safeParse(JSON.parse(text));
  return data ? [data] : [];
};

/** Who received a request and what was known of them then, with its place in the transparency log. */
export function ReceiptPanel({ generation }: { generation: GenerationDetail }) {
  const { id, tries, started_at } = generation;
  const receipt = useQuery(
    useTRPC().generations.receipt.queryOptions({ id }, { staleTime: 60_000, retry: false }),
  );
  if (receipt.isError) return <FailureAlert error={receipt.error} onRetry={() => void receipt.refetch()} />;
  if (receipt.isPending) return <Skeleton h={320} />;
  const { proof, facts, today } = receipt.data;
  const { destinations, request_digest } = readRecord(receipt.data.record);
  const known = facts.flatMap(read);
  const index = Number(/^index (\d+)$/m.exec(proof)?.[1] ?? 0);
  const [origin = "", size = ""] = proof.slice(proof.indexOf("\n\n") + 2).split("\n");
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Group>
          <SaveReceipt id={id} />
          <VerifyLink>Verify a receipt</VerifyLink>
        </Group>
        <Text size="sm" c="dimmed">
          The file proves what is recorded about this request. It is verified offline, in the browser or with
          scripts/verify.mjs. It contains no prompt and no answer.
        </Text>
        <Facts
          label="Place in the log"
          rows={[
            ["Transparency log", origin],
            ["Entry", `${formatCount(index)} of ${formatCount(Number(size))}`],
            ["Digests of request and answer", request_digest === undefined ? "none" : "in the receipt"],
            ["Record is deleted", today.record_until === null ? "never" : formatAbsolute(today.record_until)],
            [
              "Prompt and answer",
              today.content_until === null
                ? "not stored here"
                : `stored here until ${formatAbsolute(today.content_until)}`,
            ],
          ]}
        />
      </Stack>
      <Text fw={600}>Received by</Text>
      {tries.length === 0 && (
        <Text size="sm" c="dimmed">
          No provider received the request.
        </Text>
      )}
      {tries.map((attempt, at) => (
        <Receiver
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of attempts never changes, and an endpoint can be tried twice
          key={at}
          attempt={attempt}
          facts={known.find(({ endpoint }) => endpoint === attempt.endpoint) ?? null}
          day={started_at.slice(0, 10)}
        />
      ))}
      {destinations.length > 0 && (
        <section aria-label="Destinations">
          <Text fw={600}>Its trace was handed to</Text>
          <Facts
            label="Destinations"
            rows={destinations.map((one) => [
              destinationName(one.id, today.destinations.find(({ id }) => id === one.id)?.name),
              traceText(one),
            ])}
          />
        </section>
      )}
    </Stack>
  );
}
