import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { storable } from "#server/platform/storable.ts";
import type { InferenceRequest } from "./request.ts";

/** The name of an operation in records, and which fields of its requests are stored. */
export interface RecordedAs {
  readonly name: string;
  readonly recorded: ReadonlySet<string>;
}

/** Stored with every record, whatever the operation. */
const alwaysRecorded: ReadonlySet<string> = new Set(["models", "preset", "provider", "rule_id", "rule_name"]);

/** The fields of a request that are stored with its record, by name: receipts are made from them. */
export function parametersOf(request: InferenceRequest, { recorded }: RecordedAs): Record<string, unknown> {
  const parameters: Record<string, unknown> = {};
  const found = Object.entries(request).filter(
    ([name, value]) => value != null && (recorded.has(name) || alwaysRecorded.has(name)),
  );
  for (const [name, value] of found.sort(([a], [b]) => (a < b ? -1 : 1))) parameters[name] = value;
  return parameters;
}

/** Finish reasons are short; longer ones are truncated. */
const nativeReasonCharsMax = 200;

/** A provider's own word as it is stored. */
export const recordable = (text: string): string =>
  storable(maskSecrets(text).slice(0, nativeReasonCharsMax));
