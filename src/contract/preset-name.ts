// Without schemas: the first screens of the console use this, and the library of schemas is large.

/** Where a model would be, this precedes the name of a preset: `@preset/support`. */
export const presetPrefix = "@preset/";

const name = "[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?";

/** The name of a preset: 1 to 64 characters. */
export const presetNamePattern = new RegExp(`^${name}$`);

/** A name, alone or with the number of a version: `support`, `support@3`. */
export const presetReferencePattern = new RegExp(`^${name}(?:@[1-9]\\d{0,5})?$`);

/** A preset that a request names; without a version, the current one is meant. */
export interface NamedPreset {
  readonly name: string;
  readonly version: number | null;
}

/** Reads `support` or `support@3`. Null if a text is neither. */
export function parsePresetReference(text: string): NamedPreset | null {
  if (!presetReferencePattern.test(text)) return null;
  const [named = "", version] = text.split("@");
  return { name: named, version: version === undefined ? null : Number(version) };
}

/** The fixed form: `support@3`. */
export const presetReference = (named: string, version: number): string => `${named}@${version}`;
