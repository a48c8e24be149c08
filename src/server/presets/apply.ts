import { type Api, operationRow } from "#contract/inference-operations.ts";
import type { Put } from "#contract/preset-fields.ts";
import { presetReference } from "#contract/preset-name.ts";
import { AppError } from "#server/platform/errors.ts";
import type { UsableVersion } from "./preset-version.ts";

export type Body = Readonly<Record<string, unknown>>;

/** An inference operation, or the compaction of a conversation, whose summary the parameters do not concern. */
export type PresetOperation = Api | "compaction";

const isObject = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const blankLine = "\n\n";

type Precede = (body: Body, prompt: string) => Body;

/** The system prompt in front of the client's own. What is no valid prompt stays, so that its schema refuses it. */
const precedeInstructions: Precede = ({ instructions }, prompt) => {
  if (instructions == null || instructions === "") return { instructions: prompt };
  return typeof instructions === "string" ? { instructions: prompt + blankLine + instructions } : {};
};

const precedes: Partial<Record<PresetOperation, Precede>> = {
  chat: ({ messages }, content) =>
    Array.isArray(messages) ? { messages: [{ role: "system", content }, ...messages] } : {},
  responses: precedeInstructions,
  compaction: precedeInstructions,
  messages({ system }, text) {
    if (system == null || system === "") return { system: text };
    const block = { type: "text", text };
    if (typeof system === "string") return { system: [block, { type: "text", text: system }] };
    return Array.isArray(system) ? { system: [block, ...system] } : {};
  },
};

/** Whether the client sends a field, by its name or by its place in an object: `text.format`. */
function isSent(body: Body, field: string): boolean {
  if (Object.hasOwn(body, field)) return true;
  const dot = field.indexOf(".");
  if (dot === -1) return false;
  const outer = body[field.slice(0, dot)];
  return outer === null || (isObject(outer) && Object.hasOwn(outer, field.slice(dot + 1)));
}

function put(target: Record<string, unknown>, { path: [field, inner], value }: Put): void {
  if (inner === undefined) target[field] = value;
  else {
    const outer = target[field];
    if (outer === undefined || isObject(outer)) target[field] = { ...outer, [inner]: value };
  }
}

/** Models, unless the client names some: the first one, then those to fall back to. */
export function modelsOf({ model, models: asked }: Body, { config }: UsableVersion): Body {
  const { models } = config;
  if (model !== undefined || asked != null || !models) return {};
  return models.length === 1 ? { model: models[0] } : { model: models[0], models };
}

/** Each preference that the client sends replaces the preset's. */
export function preferencesOf({ provider }: Body, { config }: UsableVersion): Body {
  if (!config.provider || provider === null) return {};
  if (provider === undefined) return { provider: config.provider };
  return isObject(provider) ? { provider: { ...config.provider, ...provider } } : {};
}

function refuseUnfit({ name }: UsableVersion, unfit: readonly string[], api: Api, param: string): never {
  const what = new Intl.ListFormat("en-GB").format(unfit);
  const message = `${param}: the preset \`${name}\` sets ${what}, which ${operationRow(api).path} does not take`;
  throw new AppError("BAD_REQUEST", message, { param, metadata: { unfit } });
}

/**
 * A request with what its preset sets and the client leaves out. What the client sends always wins, and null counts as
 * sent. Throws BAD_REQUEST if the operation cannot take all of the preset: it would answer something else.
 */
export function applyPreset(
  request: Body,
  version: UsableVersion,
  operation: PresetOperation,
  param: string,
): Body {
  const merged: Record<string, unknown> = {
    ...request,
    ...modelsOf(request, version),
    ...preferencesOf(request, version),
    preset: presetReference(version.name, version.version),
  };
  if (version.systemPrompt !== null)
    Object.assign(merged, precedes[operation]?.(request, version.systemPrompt));
  if (operation === "compaction") return merged;
  const { puts, unfit } = version.fit(operation);
  if (unfit.length > 0) refuseUnfit(version, unfit, operation, param);
  for (const one of puts) if (!one.yields.some((field) => isSent(request, field))) put(merged, one);
  return merged;
}
