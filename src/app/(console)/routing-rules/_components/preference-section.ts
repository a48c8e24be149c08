import type { ProviderPreferences } from "#contract/preferences.ts";

/** Some of the fields of a rule's preferences. */
export interface PreferenceSectionProps {
  readonly value: ProviderPreferences;
  readonly onChange: (change: ProviderPreferences) => void;
}

/** What a number field holds; null when it is empty. */
export const numberIn = (field: string | number): number | null => (field === "" ? null : Number(field));
