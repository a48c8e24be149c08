import { z } from "zod";

type Schema = z.core.$ZodType;
/** What becomes of unknown fields of an object that refuses them. */
type Unknown = "dropped" | "refused";

function ofObject(schema: z.ZodObject, unknown: Unknown): z.ZodType {
  const shape = Object.fromEntries(
    Object.entries(schema.shape).map(([name, inner]) => [name, rebuilt(inner, unknown)]),
  );
  const { catchall } = schema.def;
  if (catchall instanceof z.ZodUnknown) return z.looseObject(shape);
  return unknown === "refused" && catchall instanceof z.ZodNever ? z.strictObject(shape) : z.object(shape);
}

/** Numbers stay whole where they were asked to be. */
const ofNumber = (schema: z.ZodNumber): z.ZodType =>
  schema.format === "safeint" || schema.isInt ? z.number().int() : z.number();

/** The same schema without lengths, counts, bounds, patterns and rules of its own; its description stays. */
function rebuilt(schema: Schema, unknown: Unknown): z.ZodType {
  const made = withoutLimits(schema, unknown);
  const description = z.globalRegistry.get(schema)?.description;
  return description === undefined || made.description === description ? made : made.describe(description);
}

function withoutLimits(schema: Schema, unknown: Unknown): z.ZodType {
  if (schema instanceof z.ZodObject) return ofObject(schema, unknown);
  if (schema instanceof z.ZodArray) return z.array(rebuilt(schema.element, unknown));
  if (schema instanceof z.ZodNullable) return rebuilt(schema.unwrap(), unknown).nullable();
  if (schema instanceof z.ZodOptional) return rebuilt(schema.unwrap(), unknown).optional();
  if (schema instanceof z.ZodDefault) return rebuilt(schema.unwrap(), unknown);
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map((option) => rebuilt(option, unknown)));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), rebuilt(schema.valueType, unknown));
  if (schema instanceof z.ZodPipe) return rebuilt(schema.out, unknown);
  if (schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodNumber) return ofNumber(schema);
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError("A schema of another library cannot be answered with");
}

/**
 * An input's schema for answers. What is asked for has limits; what is answered was made from several inputs, or
 * stored under other limits, and an answer is never refused for it.
 */
// The same members of the same types: only what values of them are refused differs.
export const answered = <T extends z.ZodType>(schema: T): z.ZodType<z.output<T>, z.output<T>> =>
  rebuilt(schema, "dropped") as z.ZodType<z.output<T>, z.output<T>>;

/** The same for what is read from the database: a field that another version stored is not ignored. */
export const stored = <T extends z.ZodType>(schema: T): z.ZodType<z.output<T>> =>
  rebuilt(schema, "refused") as z.ZodType<z.output<T>>;
