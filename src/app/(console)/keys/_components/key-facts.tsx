"use client";

import { Anchor, Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { amountText, exactAmountText, limitText } from "#app/_lib/limit-text.ts";
import { permissionLabels } from "#app/_lib/permission-labels.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type FactRow, Facts } from "#app/_ui/facts.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import type { ApiKey } from "#contract/key.ts";

interface KeyFactsProps {
  readonly apiKey: ApiKey;
  /** The keys the person can see, this one among them. */
  readonly keys: readonly ApiKey[];
}

/** How much is used of the limit that binds a key most: its own, or one it shares. */
function LimitBar({ apiKey }: { apiKey: ApiKey }) {
  const { limit: own, effective_limit: limit, limit_remaining: left } = apiKey;
  if (limit === null || left === null) return null;
  const used = limit - left;
  const share = limit === 0 ? 100 : (used / limit) * 100;
  const ofLimit = limit === own ? limitText(apiKey) : `of ${exactAmountText(limit)} shared with other keys`;
  const text = `${amountText(used)} ${ofLimit}; ${amountText(left)} left`;
  return (
    <div>
      <Progress.Root size="lg">
        <Progress.Section
          value={share}
          color={share < 80 ? undefined : share < 100 ? "yellow" : "red"}
          // Mantine's own attributes say the percentage instead of the amount.
          withAria={false}
          role="progressbar"
          aria-label="Used of the limit"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share}
          aria-valuetext={text}
        />
      </Progress.Root>
      <Text size="sm" my={6}>
        {text}
      </Text>
    </div>
  );
}

const KeyLink = ({ apiKey }: { apiKey: ApiKey }) => (
  <Anchor component={Link} href={`/keys?open=${apiKey.hash}`} size="sm">
    {apiKey.name}
  </Anchor>
);

const KeyLinks = ({ keys }: { keys: readonly ApiKey[] }) =>
  keys.map((key) => (
    <div key={key.hash}>
      <KeyLink apiKey={key} />
    </div>
  ));

const AppLink = ({ host }: { host: string }) => (
  <Anchor component={Link} href={`/keys/apps?open=${encodeURIComponent(host)}`} size="sm" translate="no">
    {host}
  </Anchor>
);

interface FactSectionProps {
  readonly title: string;
  readonly rows: readonly FactRow[];
  readonly children?: ReactNode;
}

const FactSection = ({ title, rows, children }: FactSectionProps) => (
  <section>
    <Title order={3} size="h6" mb="xs">
      {title}
    </Title>
    {children}
    <Facts label={title} rows={rows} />
  </section>
);

function LastUsed({ apiKey: { id, last_used: lastUsed } }: { apiKey: ApiKey }) {
  const nowMs = useNow(10_000);
  if (!lastUsed) return "Never";
  return (
    <>
      <RelativeTime iso={lastUsed} nowMs={nowMs} />{" "}
      <Anchor component={Link} href={`/logs?key=${id}&range=7d`} size="sm">
        View requests
      </Anchor>
    </>
  );
}

function SpentSection({ apiKey }: { apiKey: ApiKey }) {
  const { usage_daily, usage_weekly, usage_monthly, usage, byok_usage, include_byok_in_limit } = apiKey;
  const counts = include_byok_in_limit ? "counts" : "does not count";
  return (
    <FactSection
      title="Spent"
      rows={[
        [
          "Today, this week, this month",
          [usage_daily, usage_weekly, usage_monthly].map(amountText).join(", "),
        ],
        ["Total", amountText(usage)],
        [
          "With your own credentials",
          byok_usage > 0 ? `${amountText(byok_usage)}, ${counts} against the limit` : null,
        ],
        ["Last used", <LastUsed key="last used" apiKey={apiKey} />],
      ]}
    >
      <LimitBar apiKey={apiKey} />
    </FactSection>
  );
}

function LimitsSection({ apiKey }: { apiKey: ApiKey }) {
  const workspaces = useQuery(useTRPC().workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const { requests_per_minute: rate, workspace_id: workspaceId } = apiKey;
  const workspace = workspaces.data?.data.find(({ id }) => id === workspaceId);
  return (
    <FactSection
      title="Limits"
      rows={[
        ["Requests per minute", rate === null ? "Installation default" : formatCount(rate)],
        ["Expires", apiKey.expires_at ? formatAbsolute(apiKey.expires_at) : "Never"],
        ["Models", apiKey.allowed_models?.join(", ") ?? "All models"],
        ["Workspace", workspaceId && (workspace?.name ?? workspaceId)],
        ["Permissions", apiKey.permissions.map((one) => permissionLabels[one]).join(", ") || "None"],
      ]}
    />
  );
}

function OriginSection({ apiKey, keys }: KeyFactsProps) {
  const nowMs = useNow(10_000);
  const members = useQuery(useTRPC().members.list.queryOptions({}, { staleTime: 60_000 }));
  const owner = members.data?.data.find(({ user_id }) => user_id === apiKey.creator_user_id);
  const parent = keys.find(({ hash }) => hash === apiKey.parent_hash);
  const children = keys.filter(({ parent_hash }) => parent_hash === apiKey.hash);
  return (
    <FactSection
      title="Origin"
      rows={[
        ["Owner", owner ? [owner.name, owner.email].filter(Boolean).join(", ") : null],
        ["App", apiKey.app_host && <AppLink key="app" host={apiKey.app_host} />],
        ["Created", <RelativeTime key="created" iso={apiKey.created_at} nowMs={nowMs} />],
        ["Shares the limit of", parent ? <KeyLink key="parent" apiKey={parent} /> : apiKey.parent_hash],
        ["Child keys", children.length > 0 ? <KeyLinks key="children" keys={children} /> : null],
      ]}
    />
  );
}

/** What a key has spent, its limits, and where it comes from. */
export const KeyFacts = ({ apiKey, keys }: KeyFactsProps) => (
  <Stack gap="lg">
    <SpentSection apiKey={apiKey} />
    <LimitsSection apiKey={apiKey} />
    <OriginSection apiKey={apiKey} keys={keys} />
  </Stack>
);
