"use client";

import { useEffect, useState } from "react";
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
