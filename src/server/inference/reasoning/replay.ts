import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { type Json, textOrNull } from "../wires/shared/json.ts";
import { formats, type ReasoningDetail, readDetails, thoughtSignatureOf } from "./details.ts";
import type { SdkModel } from "./sdk-options.ts";

type AssistantPart = Extract<LanguageModelV4Prompt[number], { role: "assistant" }>["content"][number];
type ReasoningPart = Extract<AssistantPart, { type: "reasoning" }>;

/** The reasoning of an earlier answer, in the form of one SDK package. */
export interface ReplayedReasoning {
  readonly parts: readonly ReasoningPart[];
  /** For the text of the message. */
  readonly textOptions: SharedV4ProviderOptions | undefined;
  callOptions(id: string, call: Json): SharedV4ProviderOptions | undefined;
  /** Fields of the message that this provider cannot read. */
  readonly dropped: readonly string[];
}

type Read = (detail: ReasoningDetail) => ReasoningPart | null;

const part = (text: string, providerOptions: SharedV4ProviderOptions): ReasoningPart => ({
  type: "reasoning",
  text,
  providerOptions,
});

/** A block of Claude, whose signature is needed to read it. */
const claudePart =
  (key: string): Read =>
  ({ type, text, signature, data, format }) => {
    if (format !== formats.claude) return null;
    if (type === "reasoning.text" && signature) return part(text ?? "", { [key]: { signature } });
    const isRedacted = type === "reasoning.encrypted" && data && key === "anthropic";
    return isRedacted ? part("", { anthropic: { redactedData: data } }) : null;
  };

const bedrockPart: Read = (detail) => {
  const { type, data, format } = detail;
  if (format === formats.bedrock && type === "reasoning.encrypted" && data)
    return part("", { amazonBedrock: { redactedContent: data } });
  return claudePart("amazonBedrock")(detail);
};

const geminiPart: Read = ({ type, text, signature, format }) =>
  format === formats.gemini && type === "reasoning.text" && signature
    ? part(text ?? "", { google: { thoughtSignature: signature } })
    : null;

/** How a kind reads the reasoning of earlier answers; kinds without a row read none. */
const readers: Readonly<Record<string, (model: SdkModel) => Read | null>> = {
  anthropic: () => claudePart("anthropic"),
  bedrock: ({ isClaude }) => (isClaude ? bedrockPart : null),
  google: () => geminiPart,
};

const geminiOptions = (signature: string | null | undefined): SharedV4ProviderOptions | undefined =>
  signature ? { google: { thoughtSignature: signature } } : undefined;

function textReasoning(message: Json): string | null {
  return textOrNull(message.reasoning) || textOrNull(message.reasoning_content) || null;
}

/**
 * The reasoning that a client sends back with an assistant's message, for the package of this model. Signatures go
 * only to providers that can verify them: others refuse them.
 */
export function replayedReasoning(message: Json, model: SdkModel): ReplayedReasoning {
  const details = readDetails(message.reasoning_details);
  const text = textReasoning(message);
  // Mistral's reasoning is not signed.
  if (model.replaysText) {
    const parts: ReasoningPart[] = text === null ? [] : [{ type: "reasoning", text }];
    const dropped = text === null && details.length > 0 ? ["messages.reasoning_details"] : [];
    return { parts, textOptions: undefined, callOptions: () => undefined, dropped };
  }
  const read = readers[model.kind]?.(model) ?? null;
  const isGemini = model.kind === "google";
  const parts: ReasoningPart[] = [];
  const calls = new Map<string, string>();
  let ofText: string | undefined;
  let isDropped = false;
  for (const detail of details) {
    const { type, data, id, format } = detail;
    if (isGemini && format === formats.gemini && type === "reasoning.encrypted" && data) {
      if (id === undefined) ofText = data;
      else calls.set(id, data);
      continue;
    }
    const made = read?.(detail);
    if (made) parts.push(made);
    else isDropped = true;
  }
  const dropped = isDropped ? ["messages.reasoning_details"] : [];
  // Reasoning without signatures is nothing to these providers.
  if (text !== null && details.length === 0) dropped.push("messages.reasoning");
  return {
    parts,
    textOptions: geminiOptions(ofText),
    callOptions: (callId, call) =>
      isGemini ? geminiOptions(calls.get(callId) ?? thoughtSignatureOf(call)) : undefined,
    dropped,
  };
}

/**
 * Whether the tool loop that is under way has calls without signed reasoning before them, such as those of another
 * provider. Claude refuses them while it reasons with a budget.
 */
export function hasUnsignedCalls(messages: readonly Json[], model: SdkModel): boolean {
  if (!model.isClaude) return false;
  const from = messages.findLastIndex(({ role }) => role === "user") + 1;
  return messages
    .slice(from)
    .some(
      (message) =>
        message.role === "assistant" &&
        Array.isArray(message.tool_calls) &&
        replayedReasoning(message, model).parts.length === 0,
    );
}
