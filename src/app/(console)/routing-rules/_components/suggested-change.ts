import { ProviderPreferences } from "#contract/preferences.ts";
import { cleaned, type Draft } from "./draft.ts";

const recordIn = (text: string): object | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
};

/**
 * The draft with preferences that a link suggests, as JSON: `{"data_residency":null}` removes one. Anything else than
 * valid preferences changes nothing.
 */
export function withSuggestion(draft: Draft, suggestion: string | null): Draft {
  const change = suggestion === null ? null : recordIn(suggestion);
  if (!change) return draft;
  const read = ProviderPreferences.safeParse({ ...draft.provider, ...change });
  return read.success ? { ...draft, provider: cleaned(read.data) } : draft;
}
