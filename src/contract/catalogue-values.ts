import { z } from "zod";

/** A strict object whose complaint about an unknown field lists the fields there are. */
export const strict = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `has the unknown field ${issue.keys?.map((key) => `"${key}"`).join(", ")}; known are ${Object.keys(shape).join(", ")}`
        : "must be an object",
  });

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` });

export const text = z.string({ error: "must be a text" }).min(1, "must not be empty").max(4_000);
/** Whether a text is a URL, with any value for each of its `{parts}`. */
export const isAddress = (text: string): boolean =>
  URL.canParse(text.replace("{sandbox_origin}", "http://sandbox").replace(/\{\w+\}/g, "part"));
export const notAnAddress = { error: "must be an address such as https://gpu.example.eu/v1" };

export const url = z
  .string({ error: "must be an address in quotes" })
  .regex(/^https?:\/\/\S+$/, "must start with http:// or https://")
  .refine(isAddress, notAnAddress);
export const day = z
  .string({ error: "must be a date in quotes" })
  .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/, 'must be a date such as "2026-11-20"');
/** A day of the calendar, where a year or month is not precise enough. */
export const exactDay = z.iso.date({ error: 'must be a complete date such as "2026-11-20"' });
export const tokens = z.int({ error: "must be a whole number of tokens" }).positive("must be more than 0");
export const days = z.int({ error: "must be a whole number of days" }).min(0, "must be 0 or more days");
export const flag = z.boolean({ error: "must be true or false" });
export const country = z
  .string({ error: "must be a country code" })
  .regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 code in capitals, such as "FR"');
export const slug = z
  .string({ error: "must be a text" })
  .regex(
    /^[a-z0-9]+([.-][a-z0-9]+)*$/,
    'must be lower-case letters and digits joined by "-", such as "my-vllm"',
  );
export const modelId = z
  .string({ error: "must be a text" })
  .regex(
    /^[\w.-]+\/[\w.-]+$/,
    'must be author/name, such as "qwen/qwen3-8b" (a name with ":" goes into upstream_model)',
  );

/** Money and factors are decimal texts: a JSON number would pass through a float. */
export const decimal = z
  .string({ error: 'must be a decimal in quotes, such as "0.15"' })
  .max(40, "may have 40 characters at most")
  .regex(/^\d+(\.\d+)?$/, 'must be a decimal such as "0.15"');

const atMost = (max: number) =>
  decimal.refine((figure) => Number(figure) <= max, { error: `must be at most ${max}` });
/** Bounded, so that the cost of a request fits into its column, whatever is multiplied. */
export const figure = atMost(1_000_000);
export const factor = atMost(1_000);

export const confidence = oneOf(["high", "medium", "low", "none"]);
