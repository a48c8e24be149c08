"use client";

import { useState } from "react";
import type { Draft } from "./draft.ts";
import { jsonOf, readRule } from "./rule-json.ts";

/**
 * A rule while it is edited, as a form or as JSON. JSON changes the draft as soon as it can be read. `first` is the draft
 * at first: `initial` with a change that a link suggests.
 */
export function useRuleDraft(initial: Draft, first: Draft) {
  const [draft, setDraft] = useState(first);
  // Null while the form is shown.
  const [json, setJson] = useState<string | null>(null);
  const read = json === null ? null : readRule(json);
  const problem = read && "problem" in read ? read.problem : null;
  // This text is in no draft: the form would lose it.
  const hasUnreadJson = problem !== null && json !== jsonOf(draft);
  return {
    draft,
    setDraft,
    /** Replaces all that was written. */
    load: (replacement: Draft) => {
      setDraft(replacement);
      setJson((before) => (before === null ? null : jsonOf(replacement)));
    },
    json,
    /** Why the JSON is not a rule; null when it is one. */
    problem,
    hasUnreadJson,
    isEdited: hasUnreadJson || JSON.stringify(draft) !== JSON.stringify(initial),
    showForm: () => setJson(null),
    showJson: () => setJson(jsonOf(draft)),
    writeJson: (text: string) => {
      setJson(text);
      const next = readRule(text);
      if ("draft" in next) setDraft(next.draft);
    },
  };
}
