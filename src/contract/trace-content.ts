/** A part of a message in the form of OpenTelemetry's `gen_ai.input.messages`. */
export type MessagePart =
  | { readonly type: "text" | "reasoning"; readonly content: string }
  | {
      readonly type: "tool_call";
      readonly id: string | null;
      readonly name: string;
      readonly arguments: unknown;
    }
  | { readonly type: "tool_call_response"; readonly id: string | null; readonly response: unknown }
  /** Media are never sent on: only what kind they were, and how large. */
  | { readonly type: "media"; readonly media_type: string; readonly bytes: number | null }
  | { readonly type: "document" | "query" | "embedding_input"; readonly content: string };

export interface TraceMessage {
  readonly role: string;
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

/** The content of a request and its answer: omitted in privacy mode. */
export interface TraceContent {
  readonly input: readonly TraceMessage[];
  readonly output: readonly TraceMessage[];
  /** Definitions of tools, as the request carried them. */
  readonly tools?: readonly unknown[];
}
