"use client";

import { Group, NativeSelect, Skeleton, Text, TextInput } from "@mantine/core";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { useNow } from "#app/_lib/use-now.ts";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { CreditsPanel } from "./credits-panel.tsx";
import { customDays, daysMax, rangeNames, ranges } from "./days.ts";

/** Everything below the credit loads as a script of its own. */
const UsagePanel = part(
  () => import("./usage-panel.tsx").then(({ UsagePanel }) => UsagePanel),
  () => <Skeleton h={420} radius="md" />,
);
const LedgerPanel = part(
  () => import("./ledger-panel.tsx").then(({ LedgerPanel }) => LedgerPanel),
  () => <Skeleton h={280} radius="md" />,
);

const rangeChoices = [...rangeNames, "custom"] as const;
/** A new day starts without a reload. */
const dayCheckMs = 60_000;

export function UsageScreen() {
  const nowMs = useNow(dayCheckMs);
  const [range, setRange] = useQueryState("range", parseAsStringLiteral(rangeChoices).withDefault("30d"));
  const [from, setFrom] = useQueryState("from", parseAsString);
  const [to, setTo] = useQueryState("to", parseAsString);
  const days = range === "custom" ? customDays(from, to) : ranges[range].days(nowMs);
  return (
    <Screen
      path="/usage"
      actions={
        <NativeSelect
          size="xs"
          aria-label="Range"
          value={range}
          onChange={({ currentTarget: { value } }) =>
            void setRange(rangeChoices.find((known) => known === value) ?? null)
          }
          data={[
            ...rangeNames.map((value) => ({ value, label: ranges[value].label })),
            { value: "custom", label: "Custom range" },
          ]}
        />
      }
    >
      {range === "custom" && (
        <Group gap="xs" align="flex-end">
          <TextInput
            type="date"
            size="xs"
            label="From"
            value={from ?? ""}
            onChange={(event) => void setFrom(event.currentTarget.value || null)}
          />
          <TextInput
            type="date"
            size="xs"
            label="To"
            value={to ?? ""}
            onChange={(event) => void setTo(event.currentTarget.value || null)}
          />
          {!days && (
            <Text size="sm" c="dimmed" role="status">
              Choose a range of at most {daysMax} days
            </Text>
          )}
        </Group>
      )}
      <CreditsPanel />
      {days && <UsagePanel days={days} />}
      <LedgerPanel />
    </Screen>
  );
}
