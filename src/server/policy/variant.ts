import type { ProviderPreferences } from "#contract/preferences.ts";

/** The preferences of a suffix on a model's name. */
const variants: Record<string, ProviderPreferences> = {
  nitro: { sort: "throughput" },
  floor: { sort: "price" },
  free: { max_price: { prompt: 0, completion: 0, request: 0 } },
};

export interface ModelName {
  /** The name without its variant. */
  readonly model: string;
  readonly variant: string | null;
  /** The preferences of the variant; null without one. */
  readonly preferences: ProviderPreferences | null;
}

/** Splits `author/slug:variant`. A complete name in the catalogue, or an unknown suffix, is not split. */
export function parseModelName(name: string, isKnown: (model: string) => boolean): ModelName {
  const at = name.lastIndexOf(":");
  const variant = at === -1 ? "" : name.slice(at + 1);
  const preferences = Object.hasOwn(variants, variant) ? variants[variant] : undefined;
  if (!preferences || isKnown(name)) return { model: name, variant: null, preferences: null };
  return { model: name.slice(0, at), variant, preferences };
}

/** A name without its variant, whatever the catalogue contains. */
export function withoutVariant(name: string): string {
  const at = name.lastIndexOf(":");
  return at !== -1 && Object.hasOwn(variants, name.slice(at + 1)) ? name.slice(0, at) : name;
}
