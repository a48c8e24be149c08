import type { ReasoningEffort } from "#contract/reasoning.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import {
  budgetOfEffort,
  decisionName,
  effortOfBudget,
  nearestLevel,
  type ReasoningForm,
  wantsReasoning,
} from "./form.ts";
import type { ReasoningRow } from "./row.ts";

/** The fields of a body, and what happened to those of the client. */
export interface SentReasoning {
  readonly fields: Json;
  /** Fields sent under another name or as another quantity: the client's name and the provider's. */
  readonly translated: readonly (readonly [from: string, to: string])[];
  /** Fields of which another value was sent, because the model does not accept the client's. */
  readonly clamped: readonly string[];
  /** Fields for which the model has nothing. */
  readonly dropped: readonly string[];
}

/** Collects the fields and the report of one request. */
class Sent {
  fields: Json = {};
  readonly translated: (readonly [string, string])[] = [];
  readonly clamped: string[] = [];
  readonly dropped: string[] = [];

  /** Adds fields; an object that is already there gets the members of the new one. */
  add(more: Json, from: string, to: string): void {
    for (const [name, value] of Object.entries(more)) {
      const before = this.fields[name];
      this.fields[name] = isJson(before) && isJson(value) ? { ...before, ...value } : value;
    }
    if (from !== to) this.translated.push([from, to]);
  }
}

const effortFields = (
  field: "reasoning_effort" | "reasoning",
  level: ReasoningEffort,
): readonly [Json, name: string] =>
  field === "reasoning"
    ? [{ reasoning: { effort: level } }, "reasoning.effort"]
    : [{ reasoning_effort: level }, "reasoning_effort"];

function switchOff(sent: Sent, form: ReasoningForm, { effort, switch: toggle, budget }: ReasoningRow): void {
  const from = decisionName(form);
  if (effort?.levels.includes("none")) {
    const [fields, to] = effortFields(effort.field, "none");
    // A level alone is not understood by all templates.
    sent.add({ ...(toggle?.off ?? {}), ...fields }, from, to);
  } else if (toggle?.off) sent.add(toggle.off, from, toggle.field);
  else if (effort && effort.levels.length > 0) {
    const level = nearestLevel("minimal", effort.levels);
    if (level === null) return;
    const [fields, to] = effortFields(effort.field, level);
    sent.add(fields, from, to);
    sent.clamped.push(from);
  } else if (budget?.min === 0) sent.add(budget.fields(0), from, budget.field);
  else sent.dropped.push(from);
}

function sendEffort(sent: Sent, row: ReasoningRow, wanted: ReasoningEffort, from: string): boolean {
  const { effort } = row;
  const level = effort ? nearestLevel(wanted, effort.levels) : null;
  if (!effort || level === null) return false;
  const [fields, to] = effortFields(effort.field, level);
  sent.add(fields, from, to);
  if (level !== wanted) sent.clamped.push(from);
  return true;
}

function sendBudget(sent: Sent, { budget }: ReasoningRow, wanted: number, from: string): boolean {
  if (!budget) return false;
  const tokens = Math.min(Math.max(wanted, budget.min), budget.max);
  sent.add(budget.fields(tokens), from, budget.field);
  if (tokens !== wanted) sent.clamped.push(from);
  return true;
}

function switchOn(sent: Sent, form: ReasoningForm, row: ReasoningRow): void {
  const { effort, budgetTokens, names } = form;
  const toggle = row.switch;
  if (effort === null && budgetTokens === null) {
    if (toggle) sent.add(toggle.on, names.enabled, toggle.field);
    else if (!sendEffort(sent, row, "medium", names.enabled)) sent.dropped.push(names.enabled);
    return;
  }
  const from = effort !== null ? names.effort : names.budget;
  const isSent =
    effort !== null
      ? sendEffort(sent, row, effort, from) || sendBudget(sent, row, budgetOfEffort(effort), from)
      : sendBudget(sent, row, budgetTokens ?? 0, from) ||
        sendEffort(sent, row, effortOfBudget(budgetTokens ?? 0), from);
  if (isSent) {
    // Our own object and OpenRouter's are switched on by what they hold.
    if (toggle && toggle.field !== "reasoning") sent.add(toggle.on, from, from);
  } else if (toggle) {
    sent.add(toggle.on, from, toggle.field);
    sent.clamped.push(from);
  } else sent.dropped.push(from);
}

/** A model that takes function tools only without reasoning. Returns whether that decided everything. */
function withTools(sent: Sent, form: ReasoningForm, { effort }: ReasoningRow): boolean {
  if (!effort?.noneWithTools) return false;
  const wanted = wantsReasoning(form);
  if (wanted === null && effort.noneWithTools === "if-set") return true;
  const [fields, to] = effortFields(effort.field, "none");
  const from = wanted === null ? to : decisionName(form);
  sent.add(fields, from, to);
  if (wanted !== false) sent.clamped.push(from);
  return true;
}

/**
 * The fields of a chat request by which a provider reasons as the client asked. `row` is from `reasoningRowOf`;
 * `tools`: whether the request has function tools.
 */
export function reasoningFields(
  form: ReasoningForm,
  row: ReasoningRow,
  { tools = false }: { readonly tools?: boolean } = {},
): SentReasoning {
  const sent = new Sent();
  if (row.asGiven) return { ...sent, fields: { ...form.given } };
  const wanted = wantsReasoning(form);
  if (!tools || !withTools(sent, form, row)) {
    if (wanted === true) switchOn(sent, form, row);
    if (wanted === false) switchOff(sent, form, row);
  }
  // Without a field for it, reasoning is removed from the answer, so nothing is lost.
  if (form.exclude && row.hidden) sent.add(row.hidden, form.names.exclude, form.names.exclude);
  if (form.summary !== null) {
    if (row.effort?.field === "reasoning") sent.add({ reasoning: { summary: form.summary } }, "", "");
    else sent.dropped.push("reasoning.summary");
  }
  const { fields, translated, clamped, dropped } = sent;
  return { fields, translated, clamped, dropped };
}
