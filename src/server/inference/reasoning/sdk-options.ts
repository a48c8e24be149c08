import type { JSONObject, LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { budgetOfShare, claudeBudgetFor } from "./claude-budget.ts";
import { decisionName, efforts, nearestLevel, type ReasoningForm, wantsReasoning } from "./form.ts";
import type { ReasoningRow } from "./row.ts";
import { reasoningRowOf } from "./rows.ts";

/** A model behind an SDK package. */
export interface SdkModel {
  readonly kind: string;
  /** How it takes settings for reasoning. */
  readonly row: ReasoningRow;
  readonly isClaude: boolean;
  /** It gets the reasoning of earlier answers as text. */
  readonly replaysText: boolean;
  /** It reasons as OpenAI's models do, which its deployment's name may not say. */
  readonly reasonsAsOpenAi: boolean;
}

/** `modelId` is the id in the catalogue. It decides if the upstream's own name says nothing, as with deployments. */
export function sdkModel(kind: string, upstreamModel: string, modelId: string): SdkModel {
  const row = reasoningRowOf(kind, upstreamModel, modelId);
  const names = `${upstreamModel} ${modelId}`.toLowerCase();
  return {
    kind,
    row,
    isClaude: kind === "anthropic" || /claude|anthropic/.test(names),
    replaysText: kind === "mistral" && row.effort !== undefined,
    reasonsAsOpenAi: kind === "azure" && row.effort !== undefined && !names.includes("gpt-oss"),
  };
}

/** What the call options say about reasoning. */
export interface SdkReasoning {
  readonly reasoning?: LanguageModelV4CallOptions["reasoning"];
  readonly maxOutputTokens?: number;
  readonly providerOptions?: SharedV4ProviderOptions;
  readonly dropped: readonly string[];
}

interface Asked {
  readonly form: ReasoningForm;
  readonly model: SdkModel;
  /** The limit of the answer's length, reasoning included; null: none. */
  readonly maxTokens: number | null;
  /** A tool loop is under way whose calls have no signed reasoning. */
  readonly hasUnsignedCalls: boolean;
  /** The answer has to call a tool. */
  readonly isForced: boolean;
}

const lowest = ({ effort }: ReasoningRow) => nearestLevel("minimal", effort?.levels ?? []);

/** The level to send: the client's or the nearest one; `medium` if reasoning is only switched on. */
const levelFor = ({ effort }: ReasoningForm, { effort: row }: ReasoningRow) =>
  nearestLevel(effort ?? "medium", row?.levels ?? efforts);

/** Where an effort alone decides and where a number of tokens does. */
function claudeBudget({ form, model, maxTokens }: Asked): number | null {
  const isAdaptive = !model.row.effort?.levels.includes("minimal");
  if (form.budgetTokens === null && isAdaptive) return null;
  const wanted = form.budgetTokens ?? budgetOfShare(form.effort ?? "medium", maxTokens);
  return claudeBudgetFor(wanted, maxTokens);
}

const claudeOptions = (kind: string, thinking: JSONObject, effort: string | null): SharedV4ProviderOptions =>
  kind === "bedrock"
    ? { amazonBedrock: { reasoningConfig: { ...thinking, ...(effort && { maxReasoningEffort: effort }) } } }
    : { anthropic: { thinking, ...(effort && { effort }) } };

function claude(asked: Asked): SdkReasoning {
  const { form, model, maxTokens, hasUnsignedCalls, isForced } = asked;
  const budgetTokens = claudeBudget(asked);
  if (budgetTokens === null) {
    const display = form.exclude ? "omitted" : "summarized";
    const effort = levelFor(form, model.row);
    return { providerOptions: claudeOptions(model.kind, { type: "adaptive", display }, effort), dropped: [] };
  }
  // With a budget, each call of the loop must follow its signed reasoning, and none can be forced. A limit may be too
  // low for any budget.
  if (hasUnsignedCalls || isForced || (maxTokens !== null && maxTokens <= budgetTokens))
    return { dropped: [decisionName(form)] };
  return {
    providerOptions: claudeOptions(model.kind, { type: "enabled", budgetTokens }, null),
    // The packages add the budget to the limit, which includes it here.
    ...(maxTokens !== null && { maxOutputTokens: maxTokens - budgetTokens }),
    dropped: [],
  };
}

function gemini({ form, model }: Asked): SdkReasoning {
  const thinkingConfig: JSONObject = { includeThoughts: !form.exclude };
  if (wantsReasoning(form) === false) {
    const level = lowest(model.row);
    // Models with a budget can be switched off, or nearly so.
    const isPro = model.row.budget === undefined;
    return isPro && level ? { reasoning: level, dropped: [] } : { reasoning: "none", dropped: [] };
  }
  if (form.budgetTokens !== null && model.row.budget)
    return {
      providerOptions: {
        google: { thinkingConfig: { ...thinkingConfig, thinkingBudget: form.budgetTokens } },
      },
      dropped: [],
    };
  return {
    ...(levelFor(form, model.row) !== null && { reasoning: levelFor(form, model.row) ?? undefined }),
    providerOptions: { google: { thinkingConfig } },
    dropped: [],
  };
}

/** The settings for reasoning as options of the model's package. */
export function sdkReasoning(asked: Asked): SdkReasoning {
  const { form, model } = asked;
  const wanted = wantsReasoning(form);
  if (wanted === null) return { dropped: [] };
  const { row, kind, isClaude } = model;
  if (!row.effort && !row.asGiven) return { dropped: wanted ? [decisionName(form)] : [] };
  if (isClaude && kind !== "google" && wanted) return claude(asked);
  if (kind === "google") return gemini(asked);
  if (!wanted) {
    const canBeOff = isClaude || row.effort?.levels.includes("none");
    return { reasoning: canBeOff ? "none" : (lowest(row) ?? undefined), dropped: [] };
  }
  return { reasoning: levelFor(form, row) ?? undefined, dropped: [] };
}
