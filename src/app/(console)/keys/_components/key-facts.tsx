"use client";

import { Anchor, Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { amountText, exactAmountText, limitText } from "#app/_lib/limit-text.ts";
import { permissionLabels } from "#app/_lib/permission-labels.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { Facts } from "#app/_ui/facts.tsx";
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
          aria-label="Used of the limit"
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

const AppLink = ({ host }: { host: string }) => (
  <Anchor component={Link} href={`/keys/apps?open=${encodeURIComponent(host)}`} size="sm" translate="no">
    {host}
  </Anchor>
);

/** What a key has spent, what bounds it, and where it comes from. */
export function KeyFacts({ apiKey, keys }: KeyFactsProps) {
  const trpc = useTRPC();
  const nowMs = useNow(10_000);
  const members = useQuery(trpc.members.list.queryOptions({}, { staleTime: 60_000 }));
  const workspaces = useQuery(trpc.workspaces.list.queryOptions({}, { staleTime: 60_000 }));
  const maker = members.data?.data.find(({ user_id }) => user_id === apiKey.creator_user_id);
  const workspace = workspaces.data?.data.find(({ id }) => id === apiKey.workspace_id);
  const parent = keys.find(({ hash }) => hash === apiKey.parent_hash);
  const children = keys.filter(({ parent_hash }) => parent_hash === apiKey.hash);
  const spent = [apiKey.usage_daily, apiKey.usage_weekly, apiKey.usage_monthly, apiKey.usage].map(amountText);
  return (
    <Stack gap="lg">
      <section>
        <Title order={3} size="h6" mb="xs">
          Spent
        </Title>
        <LimitBar apiKey={apiKey} />
        <Facts
          label="Spent"
          rows={[
            ["Today, this week, this month", spent.slice(0, 3).join(", ")],
            ["Total", spent[3]],
            [
              "With your own credentials",
              apiKey.byok_usage > 0
                ? `${amountText(apiKey.byok_usage)}, ${apiKey.include_byok_in_limit ? "counts" : "does not count"} against the limit`
                : null,
            ],
            [
              "Last used",
              apiKey.last_used ? (
                <>
                  <RelativeTime iso={apiKey.last_used} nowMs={nowMs} />{" "}
                  <Anchor component={Link} href={`/logs?key=${apiKey.id}&range=7d`} size="sm">
                    View requests
                  </Anchor>
                </>
              ) : (
                "Never"
              ),
            ],
          ]}
        />
      </section>
      <section>
        <Title order={3} size="h6" mb="xs">
          Limits
        </Title>
        <Facts
          label="Limits"
          rows={[
            [
              "Requests per minute",
              apiKey.requests_per_minute === null
                ? "Installation default"
                : formatCount(apiKey.requests_per_minute),
            ],
            ["Expires", apiKey.expires_at ? formatAbsolute(apiKey.expires_at) : "Never"],
            ["Models", apiKey.allowed_models?.join(", ") ?? "All models"],
            ["Workspace", apiKey.workspace_id && (workspace?.name ?? apiKey.workspace_id)],
            ["Permissions", apiKey.permissions.map((one) => permissionLabels[one]).join(", ") || "None"],
          ]}
        />
      </section>
      <section>
        <Title order={3} size="h6" mb="xs">
          Origin
        </Title>
        <Facts
          label="Origin"
          rows={[
            ["Owner", maker ? [maker.name, maker.email].filter(Boolean).join(", ") : null],
            ["App", apiKey.app_host && <AppLink key="app" host={apiKey.app_host} />],
            ["Created", <RelativeTime key="made" iso={apiKey.created_at} nowMs={nowMs} />],
            ["Shares the limit of", parent ? <KeyLink key="parent" apiKey={parent} /> : apiKey.parent_hash],
            [
              "Child keys",
              children.length > 0
                ? children.map((child) => (
                    <div key={child.hash}>
                      <KeyLink apiKey={child} />
                    </div>
                  ))
                : null,
            ],
          ]}
        />
      </section>
    </Stack>
  );
}
