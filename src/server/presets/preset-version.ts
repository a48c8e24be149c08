import { type Api, apis } from "#contract/inference-operations.ts";
import { type PresetConfig, presetParameterNames } from "#contract/preset.ts";
import { type PresetFit, presetFit } from "#contract/preset-fields.ts";

/** A version of a preset as requests use it. */
export interface UsableVersion {
  readonly name: string;
  readonly version: number;
  readonly config: PresetConfig;
  readonly systemPrompt: string | null;
  /** How an operation takes the version; computed once. */
  fit(api: Api): PresetFit;
}

/** A stored version that cannot be read. */
export interface UnreadableVersion {
  readonly problem: string;
}

export function usableVersion(
  version: Pick<UsableVersion, "name" | "version" | "config" | "systemPrompt">,
): UsableVersion {
  const fits = new Map<Api, PresetFit>();
  return {
    ...version,
    fit(api) {
      const known = fits.get(api);
      if (known) return known;
      const made = presetFit(version.config, version.systemPrompt, api);
      fits.set(api, made);
      return made;
    },
  };
}

/** The operations that take everything a version sets. */
export const operationsOf = (config: PresetConfig, systemPrompt: string | null): Api[] =>
  apis.filter((api) => presetFit(config, systemPrompt, api).unfit.length === 0);

/** The names of the parameters that a version sets. */
export const parametersSet = (config: PresetConfig): string[] =>
  presetParameterNames.filter((name) => config[name] != null);
