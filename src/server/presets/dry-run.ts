import type { DryRunRequest } from "#contract/routing-rule.ts";
import { modelsOf, preferencesOf } from "./apply.ts";
import type { PresetIndex, PresetUser } from "./preset-index.ts";
import { parametersSet } from "./preset-version.ts";
import { askedBy } from "./resolve.ts";

/** A dry run of requests with a preset, as one without: with its models, preferences and names of parameters. */
export function forDryRun(index: PresetIndex, user: PresetUser, asked: DryRunRequest): DryRunRequest {
  const { preset, model: named, models, preference_overrides: provider, ...request } = asked;
  const found = askedBy({ preset, model: named });
  if (!found) return asked;
  const version = index.find(user, found.named, found.param);
  const model = typeof found.model === "string" ? found.model : undefined;
  const body = {
    ...(model !== undefined && { model }),
    ...(models != null && { models }),
    ...(provider !== undefined && { provider }),
  };
  // Both functions return what the contract's schema of the preset accepted.
  const {
    provider: merged,
    ...rest
  }: Pick<DryRunRequest, "model" | "models"> & {
    provider?: DryRunRequest["preference_overrides"];
  } = { ...body, ...modelsOf(body, version), ...preferencesOf(body, version) };
  return {
    ...request,
    ...rest,
    preference_overrides: merged,
    parameters: [...new Set([...(asked.parameters ?? []), ...parametersSet(version.config)])],
  };
}
