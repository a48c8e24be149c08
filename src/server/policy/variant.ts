import type { ProviderPreferences } from "#contract/preferences.ts";

/** What a suffix on a model's name asks for. */
const variants: Record<string, ProviderPreferences> = {
  nitro: { sort: "throughput" },
  floor: { sort: "price" },
  free: { max_price: { prompt: 0, completion: 0, request: 0 } },
};

export interface ModelName {
  /** The name without its variant. */
  readonly model: string;
  readonly variant: string | null;
  /** What the variant asks for; null without one. */
  readonly preferences: ProviderPreferences | null;
}

/** Splits `author/slug:variant`. A name the catalogue knows as a whole, or an unknown suffix, stays as it is. */
export function parseModelName(name: string, isKnown: (model: string) => boolean): ModelName {
  const at = name.lastIndexOf(":");
  const variant = at === -1 ? "" : name.slice(at + 1);
  const preferences = Object.hasOwn(variants, variant) ? variants[variant] : undefined;
  if (!preferences || isKnown(name)) return { model: name, variant: null, preferences: null };
  return { model: name.slice(0, at), variant, preferences };
}

/** A name without the variant it may end in, whatever the catalogue knows. */
export function withoutVariant(name: string): string {
  const at = name.lastIndexOf(":");
  return at !== -1 && Object.hasOwn(variants, name.slice(at + 1)) ? name.slice(0, at) : name;
}
