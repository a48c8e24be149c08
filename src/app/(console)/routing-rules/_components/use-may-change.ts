"use client";

import { useIsAdministrator, useMay } from "#app/_lib/use-may.ts";
import type { RuleScope } from "#contract/routing-rule.ts";

/** Whether a rule of a scope may be written: rules for others need an owner or admin. */
export function useMayChange(): (scope: RuleScope) => boolean {
  const mayWrite = useMay("routing:write");
  const isAdministrator = useIsAdministrator();
  return (scope) => mayWrite && (isAdministrator || scope === "user" || scope === "api_key");
}
