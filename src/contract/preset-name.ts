import { z } from "zod";

/** Where a model would be, this precedes the name of a preset: `@preset/support`. */
export const presetPrefix = "@preset/";

const name = "[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?";
const nameRule =
  "must be 1 to 64 lower-case letters, digits, - and _, with a letter or digit at the beginning and the end";

/** The name of a preset, by which requests use it. */
export const PresetName = z.string().regex(new RegExp(`^${name}$`), nameRule);

/** The number of a version as text, such as in a path. */
export const VersionNumber = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, "must be the number of a version, such as 3")
  .transform(Number)
  .meta({ override: { type: "integer", minimum: 1, pattern: undefined } });

const reference = new RegExp(`^${name}(?:@[1-9]\\d{0,5})?$`);

/** A preset as requests name it: its current version, or a fixed one. */
export const PresetReference = z
  .string()
  .max(80)
  .regex(reference, "must be the name of a preset, such as support, or with a version, such as support@3");

/** A preset that a request names; without a version, the current one is meant. */
export interface NamedPreset {
  readonly name: string;
  readonly version: number | null;
}

/** Reads `support` or `support@3`. Null if a text is neither. */
export function parsePresetReference(text: string): NamedPreset | null {
  if (!reference.test(text)) return null;
  const [named = "", version] = text.split("@");
  return { name: named, version: version === undefined ? null : Number(version) };
}

/** The fixed form: `support@3`. */
export const presetReference = (named: string, version: number): string => `${named}@${version}`;
