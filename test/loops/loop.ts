import { z } from "zod";

/** What a loop came to: how often its tool was called, and the last text. */
export interface Loop {
  readonly calls: number;
  readonly text: string;
}
/** A tool loop as users write it with a client library, which itself calls the tool and sends answers back. */
export interface LoopClient {
  /** The library, and the operation that it uses. */
  readonly name: string;
  /** Whether the library sends signed reasoning back, so that the provider gets it with each call. */
  readonly returnsReasoning: boolean;
  readonly run: (model: string, isStreamed: boolean) => Promise<Loop>;
}
export interface Site {
  readonly origin: string;
  readonly key: string;
}

export const question = "What is the weather on the way to Orléans?";
export const toolName = "weather";
export const description = "The weather of a city";
export const City = z.object({ city: z.string() });
export const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
} as const;
/** More than a loop needs; one that does not end fails instead of running on. */
export const turnsMax = 15;
export const tokensMax = 8_000;

/** A tool that counts its calls. */
export function countingTool() {
  let calls = 0;
  return {
    calls: () => calls,
    execute: (_: unknown): string => {
      calls++;
      return "Sunny";
    },
  };
}
