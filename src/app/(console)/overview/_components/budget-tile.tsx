"use client";

import { useQuery } from "@tanstack/react-query";
import { formatShare } from "#app/_lib/format.ts";
import { amountText } from "#app/_lib/limit-text.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { Tile } from "./tile.tsx";

/** As many as one answer may have. */
const budgetsMax = 100;
const refreshMs = 60_000;

interface Spent {
  readonly name: string;
  readonly limit: number;
  readonly use: { readonly used: number };
}

/** Used of the limit, from 0. A limit of zero is used up. */
const shareOf = ({ limit, use }: Spent): number => (limit === 0 ? 1 : use.used / limit);

/** The budget in euros of which the largest share is spent. */
export function BudgetTile() {
  const budgets = useQuery(
    useTRPC().budgets.list.queryOptions(
      { measure: "eur", enabled: "true", limit: String(budgetsMax) },
      { refetchInterval: refreshMs },
    ),
  );
  const rows: readonly Spent[] = budgets.data?.data ?? [];
  const [fullest] = rows.toSorted((a, b) => shareOf(b) - shareOf(a));
  const others = (budgets.data?.total_count ?? 0) > rows.length ? `, of the first ${rows.length}` : "";
  const noneNote = budgets.isError ? "could not be loaded" : budgets.isPending ? "" : "no budget in euros";
  return (
    <Tile
      label="Fullest budget"
      value={fullest ? formatShare(shareOf(fullest)) : "–"}
      note={
        fullest
          ? `${fullest.name}: ${amountText(fullest.use.used)} of ${amountText(fullest.limit)}${others}`
          : noneNote
      }
      href="/budgets?measure=eur&state=on"
    />
  );
}
