import { type NamedPreset, parsePresetReference, presetPrefix } from "#contract/preset-name.ts";
import type { Caller } from "#server/access/caller.ts";
import { workspaceOf } from "#server/access/scope.ts";
import { AppError } from "#server/platform/errors.ts";
import { applyPreset, type Body, type PresetOperation } from "./apply.ts";
import type { PresetIndex, PresetUser } from "./preset-index.ts";

/** A caller as a user of presets. */
export const presetUserOf = (caller: Caller): PresetUser => ({
  orgId: caller.orgId,
  workspaceId: workspaceOf(caller),
});

/** No valid model name is longer; a longer text is refused by its schema. */
const modelCharsMax = 300;

const invalid = (param: string): AppError =>
  new AppError(
    "BAD_REQUEST",
    `${param}: must name a preset, such as ${param === "model" ? presetPrefix : ""}support, or one of its versions, such as ${param === "model" ? presetPrefix : ""}support@3`,
    { param },
  );

function reference(text: string, param: string): NamedPreset {
  const named = parsePresetReference(text);
  if (!named) throw invalid(param);
  return named;
}

interface Asked {
  readonly named: NamedPreset;
  /** The field that names it. */
  readonly param: "preset" | "model";
  /** The model beside it: `mistral-large@preset/support` is the model with the preset. */
  readonly model: unknown;
}

/** The preset of a request; null if it names none. Throws BAD_REQUEST for what is no name of a preset. */
export function askedBy({ preset, model }: Body): Asked | null {
  const at = typeof model === "string" && model.length <= modelCharsMax ? model.indexOf(presetPrefix) : -1;
  if (at === -1 || typeof model !== "string") {
    // A value of another type is refused by the schema.
    if (typeof preset !== "string") return null;
    return { named: reference(preset, "preset"), param: "preset", model };
  }
  const named = reference(model.slice(at + presetPrefix.length), "model");
  if (typeof preset === "string") {
    const other = reference(preset, "preset");
    if (other.name !== named.name || other.version !== named.version)
      throw new AppError("BAD_REQUEST", "preset: names another preset than `model`", { param: "preset" });
  }
  return { named, param: "model", model: at === 0 ? undefined : model.slice(0, at) };
}

/**
 * A request, which no schema has accepted yet, with its preset applied; the request itself if it names none. Throws
 * like `applyPreset`, NOT_FOUND for a preset the user may not use, and BAD_REQUEST for what is no name of a preset.
 */
export function withPreset(
  index: PresetIndex,
  user: PresetUser,
  operation: PresetOperation,
  request: unknown,
): unknown {
  if (typeof request !== "object" || request === null || Array.isArray(request)) return request;
  // JSON objects have text keys.
  const body = request as Body;
  const asked = askedBy(body);
  if (!asked) return request;
  const version = index.find(user, asked.named, asked.param);
  const { model: _, ...rest } = body;
  const stripped = asked.model === undefined ? rest : { ...rest, model: asked.model };
  return applyPreset(stripped, version, operation, asked.param);
}
