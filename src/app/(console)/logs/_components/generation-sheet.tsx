"use client";

import { Anchor, Button, Code, Group, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { formatAbsolute, formatDuration } from "#app/_lib/format.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { GenerationStatus } from "#app/_ui/generation-status.tsx";
import { RowSteps } from "#app/_ui/row-steps.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { endpointRole } from "#contract/attempt-words.ts";
import type { GenerationDetail } from "#contract/generation.ts";
import { parsePresetReference } from "#contract/preset-name.ts";
import { Content } from "./content.tsx";
import { CostFacts } from "./cost-facts.tsx";
import { ReceiptPanel } from "./receipt-panel.tsx";
import { RoutingPanel } from "./routing-panel.tsx";
import { Waterfall } from "./waterfall.tsx";

const CopyId = ({ id, what }: { id: string; what: string }) => (
  <Group gap={4} wrap="nowrap">
    <Code style={{ overflowWrap: "anywhere" }}>{id}</Code>
    <CopyButton value={id} label={`Copy ${what}`} />
  </Group>
);

/** Operations that the playground does not have. */
const notInPlayground: ReadonlySet<string> = new Set(["embeddings", "messages"]);

/** The preset of a request with its version, as a link to it. */
function presetLink(preset: unknown) {
  const named = typeof preset === "string" ? parsePresetReference(preset) : null;
  return (
    named && (
      <Anchor size="sm" component={Link} href={`/presets?open=${named.name}`}>
        {named.name}, version {named.version}
      </Anchor>
    )
  );
}

const namesOf = (names: readonly string[] | undefined) => (names?.length ? names.join(", ") : null);

/** Fields of the request that were changed, and what that means; null if there are none. */
const changed = (names: readonly string[] | undefined, meaning: string) =>
  names?.length ? (
    <>
      {names.join(", ")}
      <Text size="xs" c="dimmed">
        {meaning}
      </Text>
    </>
  ) : null;

interface OverviewProps {
  readonly generation: GenerationDetail;
  readonly onCompare: () => void;
}

function Actions({ generation: { id, operation }, onCompare }: OverviewProps) {
  const mayAsk = useMay("inference:use");
  return (
    <Group gap="xs">
      {mayAsk && !notInPlayground.has(operation) && (
        <Button component={Link} href={`/playground?replay=${id}`} size="xs" variant="default">
          Open in playground
        </Button>
      )}
      <Button size="xs" variant="default" onClick={onCompare}>
        Compare
      </Button>
    </Group>
  );
}

function Overview({ generation, onCompare }: OverviewProps) {
  const { session_id: session } = generation;
  // Of the last endpoint, which served the request or was tried last.
  const changes = generation.tries.at(-1)?.parameters;
  const keys = useQuery(useTRPC().keys.names.queryOptions({}, { staleTime: 60_000 }));
  const key = keys.data?.data.find(({ id }) => id === generation.api_key_id);
  return (
    <Stack gap="lg">
      <Actions generation={generation} onCompare={onCompare} />
      <Facts
        label="Request"
        rows={[
          ["Status", <GenerationStatus key="status" {...generation} />],
          ["Error", generation.error_code],
          ["HTTP status", generation.http_status],
          ["Started", formatAbsolute(generation.started_at)],
          [
            "Time to first token",
            generation.latency_ms === null ? null : formatDuration(generation.latency_ms),
          ],
          ["Duration", formatDuration(generation.duration_ms)],
          ["Requested model", generation.model_requested],
          ["Preset", presetLink(generation.parameters.preset)],
          ["Content besides text", namesOf(generation.input_modalities)],
          ["Answer besides text", namesOf(generation.output_modalities)],
          [endpointRole(generation), generation.endpoint],
          ["Provider API", generation.tries.at(-1)?.api ?? null],
          ["Finish reason", generation.finish_reason],
          [
            "Parameters left out",
            changed(changes?.dropped, "Not sent, because the endpoint does not support them."),
          ],
          [
            "Parameters renamed",
            changed(
              changes?.translated.map(({ from, to }) => `${from} → ${to}`),
              "Sent under the provider's own name.",
            ),
          ],
          [
            "Parameters limited",
            changed(changes?.clamped, "Sent with the nearest value that the endpoint supports."),
          ],
          ["Key", key?.name ?? <Code key="key">…{generation.api_key_id.slice(-8)}</Code>],
          ["App", generation.app_title],
          ["User", generation.user_reference],
          [
            "Session",
            session && (
              <Anchor
                key="session"
                size="sm"
                component={Link}
                href={`/logs?find=${encodeURIComponent(session)}`}
              >
                {session}
              </Anchor>
            ),
          ],
          ["Generation ID", <CopyId key="id" id={generation.id} what="generation ID" />],
          ["Request ID", <CopyId key="request" id={generation.request_id} what="request ID" />],
        ]}
      />
      <section aria-label="Attempts">
        <Text fw={600} mb="xs">
          Attempts
        </Text>
        <Waterfall generation={generation} />
      </section>
    </Stack>
  );
}

const tabs = ["overview", "routing", "cost", "content", "receipt", "json"] as const;

interface GenerationSheetProps {
  readonly id: string;
  /** The generations of the table it was opened from. */
  readonly ids: readonly string[];
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
  /** Starts a comparison of it with another one. */
  readonly onCompare: () => void;
}

/** One generation: its attempts, routing decision, cost, content, receipt, and the record as JSON. */
export function GenerationSheet({ id, ids, onOpen, onClose, onCompare }: GenerationSheetProps) {
  const generation = useQuery(useTRPC().generations.get.queryOptions({ id }, { staleTime: 60_000 }));
  // The tab stays open while a person steps through the rows, and links can name one.
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(tabs).withDefault("overview"));
  const mayRead = useMay("inference:use");
  const { data } = generation;
  return (
    <Sheet
      title={data?.model ?? "Request"}
      onClose={() => {
        void setTab(null);
        onClose();
      }}
      actions={<RowSteps ids={ids} openId={id} onOpen={onOpen} />}
    >
      {generation.isError && (
        <FailureAlert error={generation.error} onRetry={() => void generation.refetch()} />
      )}
      {generation.isPending && <Skeleton h={480} />}
      {data && (
        <Tabs
          value={tab}
          onChange={(chosen) => void setTab(tabs.find((one) => one === chosen) ?? null)}
          keepMounted={false}
          // All of them side by side on a phone.
          styles={{ tab: { paddingInline: "clamp(3px, 1vw, var(--mantine-spacing-xs))" } }}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="overview">Overview</Tabs.Tab>
            <Tabs.Tab value="routing">Routing</Tabs.Tab>
            <Tabs.Tab value="cost">Cost</Tabs.Tab>
            {mayRead && <Tabs.Tab value="content">Content</Tabs.Tab>}
            <Tabs.Tab value="receipt">Receipt</Tabs.Tab>
            <Tabs.Tab value="json">JSON</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="overview">
            <Overview generation={data} onCompare={onCompare} />
          </Tabs.Panel>
          <Tabs.Panel value="routing">
            <RoutingPanel generation={data} />
          </Tabs.Panel>
          <Tabs.Panel value="cost">
            <CostFacts generation={data} />
          </Tabs.Panel>
          <Tabs.Panel value="content">
            <Content id={data.id} />
          </Tabs.Panel>
          <Tabs.Panel value="receipt">
            <ReceiptPanel generation={data} />
          </Tabs.Panel>
          <Tabs.Panel value="json">
            <CodeBlock code={JSON.stringify(data, null, 2)} label="JSON of the request" />
          </Tabs.Panel>
        </Tabs>
      )}
    </Sheet>
  );
}
