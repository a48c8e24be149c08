import { Box, Text } from "@mantine/core";
import type { BudgetMeasure } from "#contract/budget.ts";
import { measures } from "./budget-text.ts";

interface BudgetUseBarProps {
  /** Accessible name of the bar: whose use it shows. */
  readonly label: string;
  readonly measure: BudgetMeasure;
  readonly limit: number;
  readonly used: number;
  readonly held: number;
}

const nearlyFull = 0.8;

/** Share of a limit from 0 to 100. A limit of zero is used up. */
const percentOf = (amount: number, limit: number): number =>
  limit === 0 ? 100 : Math.min(100, (amount / limit) * 100);

/** Mantine's own bar does not fit into what the screen may load at first. */
function Bar({ label, percent, color }: { label: string; percent: number; color: string }) {
  const value = { "aria-valuenow": percent, "aria-valuemin": 0, "aria-valuemax": 100 };
  return (
    <Box
      role="progressbar"
      aria-label={label}
      {...value}
      h={5}
      mb={4}
      bg="var(--mantine-color-default-border)"
      bdrs="sm"
    >
      <Box h="100%" w={`${percent}%`} bg={color} bdrs="sm" />
    </Box>
  );
}

/** How much of a limit is used, as a bar and in words. Parallel requests are reserved only, and never used. */
export function BudgetUseBar({ label, measure, limit, used, held }: BudgetUseBarProps) {
  const { amount, short } = measures[measure];
  const counted = measure === "concurrency" ? held : used;
  const percent = percentOf(counted, limit);
  const left = Math.max(0, Number((limit - counted).toFixed(6)));
  const color =
    percent >= 100
      ? "red.6"
      : percent >= nearlyFull * 100
        ? "orange.6"
        : "var(--mantine-primary-color-filled)";
  return (
    <Box miw={120}>
      <Bar label={label} percent={percent} color={color} />
      <Text size="xs" component="span" display="block">
        {short(counted)} of {amount(limit)}
        <Text size="xs" c="dimmed" component="span">
          {left === 0 ? " · nothing left" : ` · ${short(left)} left`}
        </Text>
      </Text>
    </Box>
  );
}
