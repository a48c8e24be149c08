import type { ReasoningEffort } from "#contract/reasoning.ts";
import type { Json } from "../wires/shared/json.ts";

/** How the models of a family take settings for reasoning over chat. */
export interface ReasoningRow {
  /** The field for the effort, and the levels it accepts. `none` among them switches reasoning off. */
  readonly effort?: {
    readonly field: "reasoning_effort" | "reasoning";
    readonly levels: readonly ReasoningEffort[];
    /** The levels in a provider's own responses operation, where they differ from those of chat. */
    readonly levelsOfResponses?: readonly ReasoningEffort[];
    /** With function tools only `none` is accepted; `always`: it must be sent then. */
    readonly noneWithTools?: "if-set" | "always";
  };
  /** How a maximum number of tokens is sent, and its range. */
  readonly budget?: {
    readonly field: string;
    readonly fields: (tokens: number) => Json;
    readonly min: number;
    readonly max: number;
  };
  /** Fields that switch reasoning on and off; an effort is sent beside those that switch it on. */
  readonly switch?: { readonly field: string; readonly on: Json; readonly off: Json | null };
  /** Fields by which reasoning is left out of the answer. */
  readonly hidden?: Json;
  /** Answers that call tools are refused without this member of the message, which may be empty. */
  readonly requiredWithCalls?: "reasoning_content";
  /** Settings are sent as the client wrote them, because nothing is known of the provider. */
  readonly asGiven?: true;
  /** Where this is from, and when it was read. */
  readonly source: string;
  readonly date: string;
}

export interface Family {
  /** Matches the id of the upstream's model in lower case; absent: all others. */
  readonly models?: RegExp;
  readonly row: ReasoningRow;
}

/** When the sources were read. */
export const date = "2026-11-23";
export const lowToHigh = ["low", "medium", "high"] as const;
export const lowToXhigh = [...lowToHigh, "xhigh"] as const;
export const lowToMax = [...lowToXhigh, "max"] as const;
export const allLevels = ["minimal", ...lowToMax] as const;

/** Models with levels of effort, under OpenAI's name. */
export const effort = (levels: readonly ReasoningEffort[], source: string): ReasoningRow => ({
  effort: { field: "reasoning_effort", levels },
  source,
  date,
});
/** Models that take no setting. */
export const without = (source: string): ReasoningRow => ({ source, date });
