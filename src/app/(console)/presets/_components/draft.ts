import type { ProviderPreferences } from "#contract/preferences.ts";
import {
  PresetConfig,
  type PresetCreate,
  type PresetWithVersion,
  presetParameterNames,
} from "#contract/preset.ts";
import { parameterField } from "./parameter-kinds.ts";

/** What is typed for a parameter: text for numbers and JSON too, so that nothing typed is lost. */
export type Typed = Readonly<Record<string, string>>;

/** A preset as the form holds it. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly workspace_id: string | null;
  readonly system_prompt: string;
  readonly models: readonly string[];
  readonly provider: ProviderPreferences;
  readonly parameters: Typed;
}

export const newDraft: Draft = {
  name: "",
  description: "",
  workspace_id: null,
  system_prompt: "",
  models: [],
  provider: {},
  parameters: {},
};

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);

/** Strings are typed as they are, unless the field is JSON: `stop` takes a text or a list. */
const typedOf = (name: string, value: unknown): string =>
  parameterField(name)?.kind.input === "json" ? JSON.stringify(value, null, 2) : textOf(value);

export function draftOf({
  name,
  description,
  workspace_id,
  designated_version: version,
}: PresetWithVersion): Draft {
  const { config } = version;
  const set = presetParameterNames.filter((one) => config[one] != null);
  return {
    name,
    description: description ?? "",
    workspace_id,
    system_prompt: version.system_prompt ?? "",
    models: config.models ?? [],
    provider: config.provider ?? {},
    parameters: Object.fromEntries(set.map((one) => [one, typedOf(one, config[one])])),
  };
}

type Read = { readonly value: unknown } | { readonly problem: string };

/** The value that a parameter's text stands for. */
export function readParameter(name: string, text: string): Read {
  const input = parameterField(name)?.kind.input;
  if (text.trim() === "") return { problem: "is empty; enter a value or remove it" };
  if (input === "choice" || input === "text") return { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: input === "json" ? "is not valid JSON" : "must be a number" };
  }
}

/** Without empty fields, so that an empty form is an empty object. */
const cleaned = (provider: ProviderPreferences): ProviderPreferences =>
  Object.fromEntries(
    Object.entries(provider).filter(
      ([, value]) => value != null && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );

export type ReadConfig =
  | { readonly config: PresetConfig; readonly problem?: undefined }
  | { readonly problem: string; readonly config?: undefined };

/** The configuration that a draft stands for, checked by the API's schema; or its first problem. */
export function readConfig({ models, provider, parameters }: Draft): ReadConfig {
  const preferences = cleaned(provider);
  const values: Record<string, unknown> = {
    ...(models.length > 0 && { models: [...models] }),
    ...(Object.keys(preferences).length > 0 && { provider: preferences }),
  };
  for (const [name, text] of Object.entries(parameters)) {
    const read = readParameter(name, text);
    if ("problem" in read) return { problem: `${name} ${read.problem}` };
    values[name] = read.value;
  }
  const parsed = PresetConfig.safeParse(values);
  if (parsed.success) return { config: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: `${issue?.path.join(".") ?? "config"}: ${issue?.message ?? "is not valid"}` };
}

/** What may be changed of a stored preset. */
export const changeOf = (draft: Draft, config: PresetConfig) => ({
  description: draft.description.trim() || null,
  system_prompt: draft.system_prompt.trim() === "" ? null : draft.system_prompt,
  config,
});

export const createOf = (draft: Draft, config: PresetConfig): PresetCreate => ({
  ...changeOf(draft, config),
  name: draft.name.trim(),
  workspace_id: draft.workspace_id,
});
