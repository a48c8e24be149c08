"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import type { RoutingRule } from "#contract/routing-rule.ts";

/** The value of `edit` in the URL that opens the editor for a new rule. */
export const newRuleId = "new";

/** The rule that the URL opens: of the listed ones, or asked for when it is on another page. Undefined until it is known. */
export function useEditedRule(id: string | null, listed: readonly RoutingRule[] | undefined) {
  const found = listed?.find((rule) => rule.id === id);
  const isElsewhere = listed !== undefined && id !== null && id !== newRuleId && !found;
  const other = useQuery(useTRPC().routingRules.get.queryOptions({ id: id ?? "" }, { enabled: isElsewhere }));
  return found ?? (other.data?.data.id === id ? other.data?.data : undefined);
}
