import type { MessageParam } from "#contract/message-blocks.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import type { ParameterChanges } from "#server/inference/parameters/changes.ts";
import { budgetOfShare, claudeBudgetFor } from "#server/inference/reasoning/claude-budget.ts";
import { effortOfBudget, nearestLevel } from "#server/inference/reasoning/form.ts";
import { reasoningRowOf } from "#server/inference/reasoning/rows.ts";
import { isJson, type Json } from "../shared/json.ts";
import type { PreparedMessages } from "./prepared-messages.ts";

const has = ({ content }: MessageParam, ...types: readonly string[]): boolean =>
  typeof content !== "string" && content.some(({ type }) => types.includes(type));

/**
 * Whether the tool loop that is under way has calls without thinking before them, such as those of another provider.
 * Anthropic refuses them while it thinks with a budget.
 */
function hasUnsignedCalls(messages: readonly MessageParam[]): boolean {
  const asked = messages.findLastIndex((message) => message.role === "user" && !has(message, "tool_result"));
  return messages
    .slice(asked + 1)
    .some((message) => has(message, "tool_use") && !has(message, "thinking", "redacted_thinking"));
}

/** The one model without adaptive thinking that takes an effort. */
const takesEffort = /opus-4[-.]5/;

interface Adapted {
  readonly body: Json;
  readonly request: PreparedMessages;
  readonly at: Endpoint;
  readonly changes: ParameterChanges;
  /** The limit of the answer's length, in tokens, thinking included. */
  readonly maxTokens: number;
}

/** Edits of the context that are about thinking are refused without it. */
function withoutThinkingEdits(management: unknown): Json | null {
  if (!isJson(management) || !Array.isArray(management.edits)) return null;
  const edits = management.edits.filter((edit) => !String(edit?.type).startsWith("clear_thinking"));
  return edits.length < management.edits.length ? { ...management, edits } : null;
}

function dropThinking({ body, changes }: Adapted): void {
  delete body.thinking;
  changes.drop("thinking");
  const rest = withoutThinkingEdits(body.context_management);
  if (!rest) return;
  body.context_management = rest;
  changes.drop("context_management.edits");
}

/** Models that reason as much as they need take an effort instead of a number of tokens. */
function budgetAsEffort(
  { body, request, changes }: Adapted,
  levels: Parameters<typeof nearestLevel>[1],
): void {
  const { thinking, output_config: config } = request;
  if (thinking?.type !== "enabled" || thinking.budget_tokens == null) return;
  const { budget_tokens: tokens, ...rest } = thinking;
  const effort = nearestLevel(effortOfBudget(tokens), levels);
  body.thinking = { ...rest, type: "adaptive" };
  if (effort !== null) body.output_config = { effort, ...config };
  changes.translate("thinking.budget_tokens", "output_config.effort");
}

/** Sampling that Anthropic takes beside a budget, of which the client does not know here. */
const samplingBesideBudget: readonly (readonly [name: string, isTaken: (value: unknown) => boolean])[] = [
  ["temperature", (value) => value === 1],
  ["top_p", (value) => Number(value) >= 0.95],
  ["top_k", () => false],
];

/** Models before those refuse `adaptive`, and an effort: they take a number of tokens. */
function effortAsBudget(adapted: Adapted): void {
  const { body, request, at, changes, maxTokens } = adapted;
  const { thinking, output_config: config } = request;
  const isAdaptive = thinking?.type === "adaptive";
  if (config?.effort != null && !takesEffort.test(`${at.upstreamModel} ${at.model.id}`)) {
    const { effort: _, ...rest } = config;
    if (Object.keys(rest).length > 0) body.output_config = rest;
    else delete body.output_config;
    if (isAdaptive) changes.translate("output_config.effort", "thinking.budget_tokens");
    else changes.drop("output_config.effort");
  }
  if (!isAdaptive) return;
  const budget = claudeBudgetFor(budgetOfShare(config?.effort ?? "high", maxTokens), maxTokens);
  const forcesTool = request.tool_choice?.type === "any" || request.tool_choice?.type === "tool";
  if (budget >= maxTokens || forcesTool) {
    dropThinking(adapted);
    return;
  }
  for (const [name, isTaken] of samplingBesideBudget)
    if (body[name] != null && !isTaken(body[name])) {
      delete body[name];
      changes.drop(name);
    }
  body.thinking = { ...thinking, type: "enabled", budget_tokens: budget };
  changes.translate("thinking", "thinking.budget_tokens");
}

/** Puts the settings for thinking into the form that the endpoint's model takes. */
export function adaptThinking(adapted: Adapted, messages: readonly MessageParam[]): void {
  const { body, at } = adapted;
  const row = reasoningRowOf("anthropic", at.upstreamModel, at.model.id);
  // Models that take the smallest level have budgets only.
  if (row.effort?.levels.includes("minimal")) effortAsBudget(adapted);
  else if (row.effort && !row.budget && body.thinking != null) budgetAsEffort(adapted, row.effort.levels);
  if (isJson(body.thinking) && body.thinking.type === "enabled" && hasUnsignedCalls(messages))
    dropThinking(adapted);
}
