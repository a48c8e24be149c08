import { z } from "zod";
import { type PresetParameter, presetParameterNames, presetParameters } from "#contract/preset.ts";

/** How a parameter is edited; what is neither a number, a choice nor yes or no is edited as JSON. */
export type ParameterKind =
  | {
      readonly input: "number";
      readonly min: number | undefined;
      readonly max: number | undefined;
      readonly isWhole: boolean;
    }
  | { readonly input: "choice"; readonly choices: readonly string[] }
  | { readonly input: "boolean" }
  | { readonly input: "text" }
  | { readonly input: "json" };

export interface ParameterField {
  readonly name: PresetParameter;
  readonly description: string;
  readonly kind: ParameterKind;
}

function kindOf(schema: z.core.$ZodType): ParameterKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodNumber) {
    const bound = (value: number | null) =>
      value === null || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : value;
    return {
      input: "number",
      min: bound(schema.minValue),
      max: bound(schema.maxValue),
      isWhole: schema.format === "safeint",
    };
  }
  if (schema instanceof z.ZodEnum) return { input: "choice", choices: schema.options.map(String) };
  if (schema instanceof z.ZodBoolean) return { input: "boolean" };
  if (schema instanceof z.ZodString) return { input: "text" };
  return { input: "json" };
}

/** Every parameter of presets, read from the schemas of the API. */
export const parameterFields: readonly ParameterField[] = presetParameterNames.map((name) => ({
  name,
  description: presetParameters[name].description ?? "",
  kind: kindOf(presetParameters[name]),
}));

const byName = new Map<string, ParameterField>(parameterFields.map((field) => [field.name, field]));

export const parameterField = (name: string): ParameterField | undefined => byName.get(name);
