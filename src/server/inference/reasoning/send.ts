import type { Endpoint } from "#server/catalog/index.ts";
import type { Sending } from "../parameters/send.ts";
import type { Json } from "../wires/shared/json.ts";
import { reasoningFields } from "./fields.ts";
import { type ReasoningFields, reasoningOf } from "./form.ts";
import { openAiResponsesReasoning } from "./responses-field.ts";
import { reasoningDialects, reasoningRowOf } from "./rows.ts";

type Row = ReturnType<typeof reasoningRowOf>;
const rows = new WeakMap<Endpoint, Row>();

/** The row of an endpoint's dialect, or of its provider if that is one of the known hosts. */
function rowOf(endpoint: Endpoint): Row {
  const known = rows.get(endpoint);
  if (known) return known;
  const { rules, provider, upstreamModel, model } = endpoint;
  const name = [rules.dialect, provider.slug].find((one) => reasoningDialects.includes(one)) ?? rules.dialect;
  const row = reasoningRowOf(name, upstreamModel, model.id);
  rows.set(endpoint, row);
  return row;
}

/** The fields in which clients say how a model should reason. They are translated together. */
export const reasoningNames: ReadonlySet<string> = new Set([
  "reasoning",
  "reasoning_effort",
  "include_reasoning",
  "thinking",
]);

/** Adds the fields by which the endpoint reasons as the client asked, and reports every change. */
export function sendReasoning(
  request: ReasoningFields,
  hasTools: boolean,
  into: Json,
  { endpoint, sending }: { readonly endpoint: Endpoint; readonly sending: Sending },
): void {
  const form = reasoningOf(request);
  if (!hasTools && Object.keys(form.given).length === 0) return;
  const { changes } = sending;
  const made = reasoningFields(form, rowOf(endpoint), { tools: hasTools });
  Object.assign(into, made.fields);
  for (const [from, to] of made.translated) changes.translate(from, to);
  for (const name of made.clamped) changes.clamp(name);
  for (const name of made.dropped) changes.drop(name);
}

/**
 * Puts `reasoning` in the form of OpenAI's own responses operation, whose API rejects all others. Other providers get
 * it as the client wrote it. `into` has it if it is sent at all.
 */
export function sendResponsesReasoning(
  { reasoning }: Pick<ReasoningFields, "reasoning">,
  into: Json,
  { endpoint, sending: { changes } }: { readonly endpoint: Endpoint; readonly sending: Sending },
): void {
  if (reasoning == null || into.reasoning === undefined || endpoint.rules.dialect !== "openai") return;
  const made = openAiResponsesReasoning(reasoning, rowOf(endpoint));
  if (made.field === null) delete into.reasoning;
  else into.reasoning = made.field;
  for (const [from, to] of made.translated) changes.translate(from, to);
  for (const name of made.clamped) changes.clamp(name);
  for (const name of made.dropped) changes.drop(name);
}
