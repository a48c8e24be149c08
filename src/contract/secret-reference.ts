import { z } from "zod";

/** A secret outside the file: a variable of the environment, or a file. */
export const secretReferencePattern = /^(env:[A-Za-z_][A-Za-z0-9_]{0,199}|file:[^\0\n]{1,500})$/;
export const SecretReference = z
  .string()
  .regex(secretReferencePattern, "must be env:NAME or file:PATH, because the file contains no secrets");
