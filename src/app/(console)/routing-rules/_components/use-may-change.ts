"use client";

import type { RuleScope } from "#contract/routing-rule.ts";
import { useIsAdministrator, useMay } from "../../../_lib/use-may.ts";

/** Tells by its scope whether a rule may be written: what binds others is for owners and admins. */
export function useMayChange(): (scope: RuleScope) => boolean {
  const mayWrite = useMay("routing:write");
  const bindsOthers = useIsAdministrator();
  return (scope) => mayWrite && (bindsOthers || scope === "user" || scope === "api_key");
}
