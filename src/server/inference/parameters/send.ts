import { isRequirement, parameterClass } from "#contract/parameter-classes.ts";
import { type Endpoint, type FieldRule, fieldRule } from "#server/catalog/index.ts";
import { unsupportedField } from "../pipeline/failures.ts";
import { isJson, type Json } from "../wires/shared/json.ts";
import type { ParameterChanges } from "./changes.ts";
import { asksFor, hasSchema, isForced, isJsonObject } from "./used.ts";

/** How a request is sent to one endpoint. */
export interface Sending {
  /** The limit of the answer's length, in tokens; null: none is sent. */
  readonly maxTokens: number | null;
  readonly stream: boolean;
  readonly changes: ParameterChanges;
}

/** Where fields are copied to. */
export interface Copied {
  readonly endpoint: Endpoint;
  /** The operation of the wire: `responses`, or any other for chat's rules. */
  readonly api: string;
  readonly sending: Sending;
}

const unknownRule: FieldRule = { support: "unknown" };

/** Whether the body, or the request of an operation that is sent as it is, switches reasoning off. */
const isReasoningOff = (request: Json, into: Json): boolean =>
  into.reasoning_effort === "none" || (isJson(request.reasoning) && request.reasoning.effort === "none");

/** What the value of a field requires in addition to the field. */
function requirementOf(name: string, value: unknown): string | null {
  if (name === "tool_choice" && isForced(value)) return "forced_tool_choice";
  if (name !== "response_format") return null;
  return hasSchema(value) ? "structured_outputs" : isJsonObject(value) ? "json_object" : null;
}

/** Whether a field can be sent under this rule, to this endpoint, in this request. */
function canSend(name: string, rule: FieldRule, request: Json, into: Json, { endpoint }: Copied): boolean {
  const value = request[name];
  if (rule.values && typeof value === "string" && !rule.values.includes(value)) return false;
  if (rule.support === "unsupported") return false;
  if (rule.insteadOf && request[rule.insteadOf] != null) return false;
  if (rule.support === "unknown" && endpoint.rules.unknownFields === "rejected") return false;
  return !rule.withoutReasoning || isReasoningOff(request, into);
}

/** A number within the rule's bounds; anything else as it is. */
export function clamped(
  name: string,
  value: unknown,
  { min = -Infinity, max = Infinity }: FieldRule,
  changes: ParameterChanges,
): unknown {
  if (typeof value !== "number") return value;
  const within = Math.max(min, Math.min(max, value));
  if (within !== value) changes.clamp(name);
  return within;
}

/**
 * Copies the fields of a request that are set, as the endpoint takes them, and reports each one that is renamed,
 * clamped or left out. Throws `AttemptError` for a field without which the answer would not be what was asked for.
 */
export function sendFields<Name extends string>(
  request: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
  into: Json,
  to: Copied,
): Json {
  const { changes } = to.sending;
  for (const name of names) {
    const value = request[name];
    if (value == null) continue;
    const { rules } = to.endpoint;
    const rule = fieldRule(rules, to.api, name) ?? unknownRule;
    const required = requirementOf(name, value);
    const lacksValue = required !== null && fieldRule(rules, to.api, required)?.support === "unsupported";
    if (lacksValue || !canSend(name, rule, request, into, to)) {
      // A tier that is not sent has no effect, but clients may rely on it.
      if (!asksFor(name, value) && parameterClass(name) === "law") changes.drop(name);
      if (!asksFor(name, value)) continue;
      if (isRequirement(name)) throw unsupportedField(changes.nameOf(name));
      changes.drop(name);
      continue;
    }
    const theirs = rule.name ?? name;
    if (theirs !== name) changes.translate(name, theirs);
    into[theirs] = clamped(name, value, rule, changes);
  }
  return into;
}

/**
 * Copies the fields that our schema does not know. Providers that reject unknown fields do not get them; that is
 * reported. `known` are the names of the schema.
 */
export function sendExtras(request: Json, known: ReadonlySet<string>, into: Json, to: Copied): void {
  for (const name in request) {
    if (known.has(name) || request[name] == null) continue;
    if (to.endpoint.rules.unknownFields === "rejected") to.sending.changes.drop(name);
    else into[name] = request[name];
  }
}
