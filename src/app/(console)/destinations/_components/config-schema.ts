import { listOf, recordOf, textOf } from "#app/_lib/json.ts";
import type { DestinationType } from "#contract/destination.ts";

export interface ConfigField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly fallback: string | undefined;
  readonly required: boolean;
  /** How it is asked for. */
  readonly input: "choice" | "secret" | "address" | "text" | "pairs";
  readonly choices: readonly string[];
}

/** The input for a property of the schema; the server checks the value against the complete schema. */
function inputOf(property: Readonly<Record<string, unknown>>): ConfigField["input"] {
  if (property.enum) return "choice";
  if (property.anyOf) return "pairs";
  if (property.writeOnly === true) return "secret";
  return property.format === "uri" ? "address" : "text";
}

/** The fields of a type's `config`, in the order of its schema. */
export function fieldsOf({ config_schema: schema }: DestinationType): ConfigField[] {
  const required = listOf(schema.required);
  return Object.entries(recordOf(schema.properties)).map(([name, value]) => {
    const property = recordOf(value);
    return {
      name,
      title: textOf(property.title) || name,
      description: textOf(property.description) || undefined,
      fallback: textOf(property.default) || undefined,
      required: required.includes(name) && property.default === undefined,
      input: inputOf(property),
      choices: listOf(property.enum).map(textOf),
    };
  });
}

/** Texts as a person typed them, by field. */
export type Typed = Readonly<Record<string, string>>;

const typedText = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "object" && value !== null
      ? Object.entries(value)
          .map(([name, inner]) => `${name}=${String(inner)}`)
          .join(",")
      : "";

/** What a saved configuration looks like in the form; secrets stay masked. */
export const typedOf = (fields: readonly ConfigField[], config: Readonly<Record<string, unknown>>): Typed =>
  Object.fromEntries(fields.map(({ name }) => [name, typedText(config[name])]));

/** What the form starts with for a new destination. */
export const typedByDefault = (fields: readonly ConfigField[]): Typed =>
  Object.fromEntries(fields.map(({ name, fallback }) => [name, fallback ?? ""]));

/** The configuration to send: an emptied field of a saved one is `null`, which removes it. */
export function configOf(
  fields: readonly ConfigField[],
  typed: Typed,
  saved: Readonly<Record<string, unknown>> = {},
): Record<string, string | null> {
  const config: Record<string, string | null> = {};
  for (const { name } of fields) {
    const text = typed[name]?.trim() ?? "";
    if (text !== "") config[name] = text;
    else if (saved[name] !== undefined) config[name] = null;
  }
  return config;
}
