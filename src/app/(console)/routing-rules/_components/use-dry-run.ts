"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPCClient } from "#app/_lib/trpc.ts";
import { effectsOf as requirementsOf } from "#contract/preference-words.ts";
import type { DraftDryRunRequest } from "#contract/routing-rule.ts";
import { createOf, type Draft, hasScope } from "./draft.ts";
import { effectsOf } from "./effects.ts";
import type { TriedRequest } from "./request-fields.tsx";

const debounceMs = 250;
const namelessDraft = "this rule";

/** No endpoint has a credential and a base URL, whatever the rules. */
const lacksCredential = (result: {
  readonly provider_count: number;
  readonly excluded: readonly { readonly field: string }[];
}): boolean =>
  result.provider_count === 0 &&
  result.excluded.every(({ field }) => field === "no_credential" || field === "no_base_url");

/** The dry run of a draft: it follows what is written, and an answer that is no longer wanted is dropped. */
export function useDryRun(draft: Draft, ruleId: string | null) {
  const client = useTRPCClient();
  const [model, setModel] = useState("");
  const [tried, setTried] = useState<TriedRequest>({ modalities: [], parameters: [] });
  const rule = { ...createOf(draft), name: draft.name.trim() || namelessDraft };
  const [query] = useDebouncedValue(
    JSON.stringify({
      rule,
      rule_id: ruleId,
      model: model || null,
      input_modalities: tried.modalities.length > 0 ? tried.modalities : null,
      parameters: tried.parameters.length > 0 ? tried.parameters : null,
    }),
    debounceMs,
  );
  const run = useQuery({
    queryKey: ["dry run", query],
    queryFn: async ({ signal }) => {
      const asked: DraftDryRunRequest = JSON.parse(query);
      const { data } = await client.routingRules.dryRunDraft.mutate(asked, { signal });
      return {
        results: data.results,
        requirements: requirementsOf(data.effective_preferences),
        parameters: asked.parameters ?? [],
        ruleName: asked.rule.name,
      };
    },
    enabled: hasScope(draft),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const results = run.data?.results ?? [];
  const shown = model ? results : results.filter((result) => !lacksCredential(result));
  return {
    model,
    setModel,
    tried,
    setTried,
    run,
    ruleName: rule.name,
    /** The models that have an endpoint with a credential, or the chosen one. */
    shown,
    uncredentialed: results.length - shown.length,
    effects: run.data ? effectsOf(shown, run.data.ruleName) : null,
  };
}

export type DryRun = ReturnType<typeof useDryRun>;
