import { z } from "zod";
import { presetNamePattern, presetReferencePattern } from "./preset-name.ts";

/** The name of a preset, by which requests use it. */
export const PresetName = z
  .string()
  .regex(
    presetNamePattern,
    "must be 1 to 64 lower-case letters, digits, - and _, with a letter or digit at the beginning and the end",
  );

/** The number of a version as text, such as in a path. */
export const VersionNumber = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, "must be the number of a version, such as 3")
  .transform(Number)
  .meta({ override: { type: "integer", minimum: 1, pattern: undefined } });

/** A preset as requests name it: its current version, or a fixed one. */
export const PresetReference = z
  .string()
  .max(80)
  .regex(
    presetReferencePattern,
    "must be the name of a preset, such as support, or with a version, such as support@3",
  );
