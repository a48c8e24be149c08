"use client";

import { useIsAdministrator, useMay } from "#app/_lib/use-may.ts";
import type { RuleScope } from "#contract/routing-rule.ts";

/** Tells by its scope whether a rule may be written: what binds others is for owners and admins. */
export function useMayChange(): (scope: RuleScope) => boolean {
  const mayWrite = useMay("routing:write");
  const bindsOthers = useIsAdministrator();
  return (scope) => mayWrite && (bindsOthers || scope === "user" || scope === "api_key");
}
