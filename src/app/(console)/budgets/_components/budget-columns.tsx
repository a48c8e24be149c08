import { Switch, Text } from "@mantine/core";
import type { Column } from "#app/_ui/data-table.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { Budget } from "#contract/budget.ts";
import { measures, type NameOf, periods, resetText, scopeText, untilText } from "./budget-text.ts";
import { BudgetUseBar } from "./budget-use.tsx";
import { valueNames } from "./counter-names.ts";

interface ColumnOptions {
  readonly nowMs: number;
  readonly nameOf: NameOf;
  /** Null without the permission to change budgets. */
  readonly setEnabled: ((budget: Budget, enabled: boolean) => void) | null;
}

/** Of budgets that count values separately: the one with the highest use, and how many there are. */
function Nearest({ budget, nameOf }: { budget: Budget; nameOf: NameOf }) {
  const { counters, values } = budget.use;
  if (values.length === 0) return null;
  return (
    <Text component="span" size="xs" c="dimmed" display="block" style={{ overflowWrap: "anywhere" }}>
      Highest: {valueNames(budget.dimensions, values, nameOf)}
      {counters > 1 && ` (of ${counters})`}
    </Text>
  );
}

export const budgetColumns = ({ nowMs, nameOf, setEnabled }: ColumnOptions): readonly Column<Budget>[] => [
  {
    id: "name",
    header: "Budget",
    cell: ({ name, measure, limit, period, dimensions, problem }) => {
      const scope = problem === null ? `for ${scopeText(dimensions, nameOf)}` : "for unknown requests";
      return (
        <>
          <TitleCell
            title={name}
            detail={`${measures[measure].amount(limit)}${periods[period].per} ${scope}`}
          />
          {problem !== null && <Status tone="bad">Cannot be read</Status>}
        </>
      );
    },
  },
  {
    id: "use",
    header: "Use",
    cell: (budget) => (
      <>
        <BudgetUseBar label={`Use of ${budget.name}`} {...budget} {...budget.use} />
        <Nearest budget={budget} nameOf={nameOf} />
      </>
    ),
  },
  {
    id: "resets",
    header: "Resets",
    visibleFrom: "sm",
    cell: ({ use: { resets_at: at } }) => (
      <Text size="sm" title={resetText(at)} style={{ whiteSpace: "nowrap" }}>
        {at === null ? "Never" : untilText(at, nowMs)}
      </Text>
    ),
  },
  {
    id: "on",
    header: "On",
    align: "right",
    cell: (budget) =>
      setEnabled ? (
        <Switch
          display="inline-block"
          aria-label={`${budget.name} is enabled`}
          checked={budget.enabled}
          onChange={(event) => setEnabled(budget, event.currentTarget.checked)}
        />
      ) : (
        <Status tone={budget.enabled ? "good" : "neutral"}>{budget.enabled ? "On" : "Off"}</Status>
      ),
  },
];
