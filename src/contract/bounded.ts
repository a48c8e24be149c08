import { z } from "zod";
import { bodyBytesMax, descriptionCharsMax } from "./sizes.ts";

/** A text that may fill the whole body it comes in. */
export const LongText = z.string().max(bodyBytesMax.conversation);

/** What a tool or a format is for, for a model to read. */
export const LongDescription = z.string().max(descriptionCharsMax);

type JsonValue = z.core.util.JSONType;

/** Any JSON. How much it may hold is bounded for a body as a whole, before a schema sees it. */
export const AnyJson = z
  .custom<JsonValue>((value) => value !== undefined, "is required")
  .meta({ override: { description: "Any JSON" } });

/** How many members each record may have. A record outside of this table has no maximum. */
export const membersMaxOf = z.registry<{ readonly max: number }>();

/** An object with keys of the sender's choice: at most `max`, each of at most `keyCharsMax` characters. */
export function recordOf<Value extends z.ZodType>(
  value: Value,
  { max, keyCharsMax = 256 }: { readonly max: number; readonly keyCharsMax?: number },
) {
  const key = z.string().max(keyCharsMax, `a key may have ${keyCharsMax} characters at most`);
  return z
    .record(key, value)
    .refine((members) => Object.keys(members).length <= max, `may have ${max} keys at most`)
    .meta({ maxProperties: max })
    .register(membersMaxOf, { max });
}

/** An object of any JSON, such as a JSON schema. */
export const JsonObject = recordOf(AnyJson, { max: 1_000 });
