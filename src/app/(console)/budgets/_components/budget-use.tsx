import { Progress, Text } from "@mantine/core";
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

/** How much of a limit is used, as a bar and in words. Parallel requests are reserved only, and never used. */
export function BudgetUseBar({ label, measure, limit, used, held }: BudgetUseBarProps) {
  const { amount, short } = measures[measure];
  const counted = measure === "concurrency" ? held : used;
  const percent = percentOf(counted, limit);
  const left = Math.max(0, Number((limit - counted).toFixed(6)));
  const color = percent >= 100 ? "red" : percent >= nearlyFull * 100 ? "orange" : undefined;
  return (
    <>
      <Progress.Root size="sm" mb={4}>
        <Progress.Section value={percent} color={color} aria-label={label} />
      </Progress.Root>
      <Text size="xs" component="span" display="block">
        {short(counted)} of {amount(limit)}
        <Text size="xs" c="dimmed" component="span">
          {left === 0 ? " · nothing left" : ` · ${short(left)} left`}
        </Text>
      </Text>
    </>
  );
}
