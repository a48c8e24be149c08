import { ParameterChanges } from "#server/inference/parameters/changes.ts";
import type { Sending } from "#server/inference/parameters/send.ts";

/** How a wire encodes a request in tests; `changes` reports what it did to the fields. */
export const sending = (maxTokens: number | null = null, stream = false): Sending => ({
  maxTokens,
  stream,
  changes: new ParameterChanges(),
});
