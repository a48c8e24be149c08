import type { Endpoint } from "#server/catalog/index.ts";
import { reportLost } from "../parameters/lost.ts";
import type { Sending } from "../parameters/send.ts";
import type { Json } from "../wires/shared/json.ts";
import { reasoningFields, type SentReasoning } from "./fields.ts";
import { type ReasoningFields, reasoningOf, wantsReasoning } from "./form.ts";
import { openAiResponsesReasoning, openAiResponsesRow } from "./responses-field.ts";
import { allLevels, type ReasoningRow } from "./row.ts";
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

/** Whether the model is known to reason, which it may do without being asked. */
export const isReasoning = (endpoint: Endpoint): boolean => rowOf(endpoint).effort !== undefined;

/** The member without which the model refuses messages that call tools, if there is one. */
export const requiredWithCalls = (endpoint: Endpoint): string | undefined =>
  rowOf(endpoint).requiredWithCalls;

/** The fields in which clients say how a model should reason. They are translated together. */
export const reasoningNames: ReadonlySet<string> = new Set([
  "reasoning",
  "reasoning_effort",
  "include_reasoning",
  "thinking",
]);

function report(
  { translated, clamped, dropped }: Omit<SentReasoning, "fields">,
  changes: Sending["changes"],
) {
  for (const [from, to] of translated) changes.translate(from, to);
  for (const name of clamped) changes.clamp(name);
  for (const name of dropped) changes.drop(name);
}

/** Dialects whose responses operation is OpenAI's own. */
const ofOpenAi: ReadonlySet<string> = new Set(["openai", "azure"]);

/**
 * Whether chat of this endpoint would take function tools only without the reasoning that a request asks for, or that
 * the model has by default.
 */
export function losesReasoningWithTools(request: ReasoningFields, endpoint: Endpoint): boolean {
  const rule = rowOf(endpoint).effort?.noneWithTools;
  return rule !== undefined && (wantsReasoning(reasoningOf(request)) ?? rule === "always");
}

/** What `reasoning` can say in chat. A summary is made of what the model returns. */
const reasoningMembers = new Set(["effort", "max_tokens", "enabled", "exclude", "summary"]);

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
  // Where nothing is known of the provider, the object goes as it came.
  const { reasoning } = request;
  if (reasoning != null && !rowOf(endpoint).asGiven)
    reportLost(reasoning, reasoningMembers, "reasoning", (name) => changes.drop(name));
  const made = reasoningFields(form, rowOf(endpoint), { tools: hasTools });
  Object.assign(into, made.fields);
  report(made, changes);
}

/** What `reasoning` can say to servers that have OpenAI's responses operation for other models. */
const effortMembers = new Set([...reasoningMembers, "generate_summary"]);

/**
 * Puts `reasoning` in the form of OpenAI's responses operation: its API rejects all others, and servers after its model
 * read the effort alone. Providers whose effort is not known get it as the client wrote it. `into` has it if it is sent
 * at all.
 */
export function sendResponsesReasoning(
  { reasoning }: Pick<ReasoningFields, "reasoning">,
  into: Json,
  { endpoint, sending: { changes } }: { readonly endpoint: Endpoint; readonly sending: Sending },
): void {
  if (reasoning == null || into.reasoning === undefined) return;
  const isOpenAi = ofOpenAi.has(endpoint.rules.dialect);
  const row = rowOf(endpoint);
  if (!isOpenAi && !row.effort) return;
  if (!isOpenAi) reportLost(reasoning, effortMembers, "reasoning", (name) => changes.drop(name));
  const known = Object.entries(reasoning).filter(([name]) => isOpenAi || effortMembers.has(name));
  const made = openAiResponsesReasoning(Object.fromEntries(known), row);
  if (made.field === null) delete into.reasoning;
  else into.reasoning = made.field;
  report(made, changes);
}

/** Providers about which nothing is known get the effort as the client wrote it. */
const responsesRow = (endpoint: Endpoint): ReasoningRow => {
  const row = rowOf(endpoint);
  if (ofOpenAi.has(endpoint.rules.dialect)) return openAiResponsesRow(row);
  const { source, date } = row;
  return { effort: { field: "reasoning", levels: ["none", ...allLevels] }, source, date };
};

/** Adds the settings of a chat request as `reasoning` of the responses operation, and reports every change. */
export function sendChatReasoningToResponses(
  request: ReasoningFields,
  into: Json,
  { endpoint, sending }: { readonly endpoint: Endpoint; readonly sending: Sending },
): void {
  const form = reasoningOf(request);
  if (Object.keys(form.given).length === 0) return;
  if (request.reasoning != null)
    reportLost(request.reasoning, reasoningMembers, "reasoning", (name) => sending.changes.drop(name));
  const made = reasoningFields(form, responsesRow(endpoint));
  Object.assign(into, made.fields);
  report(made, sending.changes);
}

/** Whether a model of OpenAI has reasoning, which it returns encrypted if it is asked to. */
export const encryptsReasoning = (endpoint: Endpoint): boolean =>
  ofOpenAi.has(endpoint.rules.dialect)
    ? rowOf(endpoint).effort !== undefined
    : endpoint.supportedParameters.has("reasoning") || endpoint.supportedParameters.has("reasoning_effort");
