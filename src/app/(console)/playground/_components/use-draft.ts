"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { type Draft, emptyDraft } from "./draft.ts";
import { draftOf } from "./shared-draft.ts";

/** Changes some fields of the draft. */
export type ChangeDraft = (change: Partial<Draft>) => void;

/** The draft; a link with a draft in its fragment fills it in. */
export function useDraft(): readonly [Draft, ChangeDraft] {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  useEffect(() => {
    const shared = draftOf(window.location.hash);
    if (shared) setDraft(shared);
  }, []);
  return [draft, (change) => setDraft((known) => ({ ...known, ...change }))];
}

/** Chooses the model of the sandbox, where there is one, so that a first request needs no choice. */
export function useExampleModel({ operation, models }: Draft, change: ChangeDraft): void {
  const steps = useQuery(useTRPC().overview.firstSteps.queryOptions({}, { staleTime: 60_000 }));
  const example = steps.data?.example_model;
  const [offered, setOffered] = useState(false);
  if (example && !offered) {
    setOffered(true);
    if (operation === "chat" && models[0] === "") change({ models: models.with(0, example) });
  }
}
