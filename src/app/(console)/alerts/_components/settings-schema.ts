import { z } from "zod";
import { listOf, recordOf, textOf } from "#app/_lib/json.ts";
import { type AlertKind, settingsSchemaOf } from "#contract/alert-kind.ts";

/** A setting of a kind, and how it is asked for. */
export interface SettingField {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly input: "choice" | "number" | "numbers" | "budget";
  readonly choices: readonly string[];
  /** As it would be typed. */
  readonly fallback: string;
}

function inputOf(name: string, property: Readonly<Record<string, unknown>>): SettingField["input"] {
  if (name === "budget_id") return "budget";
  if (property.enum) return "choice";
  return property.type === "array" ? "numbers" : "number";
}

const typedText = (value: unknown): string =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value);

/** The settings of a kind, in the order of its schema. */
export function settingFieldsOf(kind: AlertKind): SettingField[] {
  const schema = z.toJSONSchema(settingsSchemaOf(kind), { io: "input" });
  return Object.entries(recordOf(schema.properties)).map(([name, value]) => {
    const property = recordOf(value);
    return {
      name,
      title: textOf(property.title) || name,
      description: textOf(property.description) || undefined,
      input: inputOf(name, property),
      choices: listOf(property.enum).map(textOf),
      fallback: typedText(property.default),
    };
  });
}

/** Settings as a person typed them, by name. */
export type TypedSettings = Readonly<Record<string, string>>;

export const typedByDefault = (kind: AlertKind): TypedSettings =>
  Object.fromEntries(settingFieldsOf(kind).map(({ name, fallback }) => [name, fallback]));

export const typedOf = (kind: AlertKind, settings: Readonly<Record<string, unknown>>): TypedSettings =>
  Object.fromEntries(settingFieldsOf(kind).map(({ name }) => [name, typedText(settings[name])]));

/** What is typed as the API takes it. An empty number is no number, so that it is refused. */
const parsers: Record<SettingField["input"], (text: string) => unknown> = {
  choice: (text) => text,
  number: (text) => (text === "" ? Number.NaN : Number(text)),
  numbers: (text) =>
    text
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(Number),
  budget: (text) => text || null,
};

export const settingsOf = (kind: AlertKind, typed: TypedSettings): Record<string, z.core.util.JSONType> =>
  // Parsed texts, numbers and lists of numbers are JSON; what is invalid is refused before it is sent.
  Object.fromEntries(
    settingFieldsOf(kind).map(({ name, input }) => [name, parsers[input](typed[name]?.trim() ?? "")]),
  ) as Record<string, z.core.util.JSONType>;
