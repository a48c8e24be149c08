import type { TraceContent } from "#contract/trace-content.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import type { Planned } from "#server/destinations/index.ts";
import { liesWithin } from "#server/policy/index.ts";
import type { Part } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { Job } from "./request-context.ts";

const nothing: readonly Planned[] = [];

/** What an operation without words of its own for it says of an exchange. */
const textOnly = (parts: readonly Part[]): TraceContent => ({
  input: [],
  output: [{ role: "assistant", parts: [{ type: "text", content: parts.map(({ text }) => text).join("") }] }],
});

/**
 * Which destinations get a generation that has ended, sealed and ready to be stored with it. Never throws: a trace
 * is no reason for an answer to fail.
 */
export function deliveriesOf<Request extends InferenceRequest, P extends Part, Whole>(
  { parts, operation, request, generation }: Job<Request, P, Whole>,
  row: GenerationRow,
  produced: readonly P[],
): readonly Planned[] {
  if (!parts.broadcast.wants(row.org_id)) return nothing;
  try {
    const residency = generation.residency();
    return parts.broadcast.plan({
      facts: row,
      request,
      key: { keyName: generation.caller.keyName, workspaceId: generation.caller.workspaceId },
      content: () => operation.content?.(request, produced) ?? textOnly(produced),
      mayKeepAt: (place) => residency === null || liesWithin(place, residency),
    });
  } catch (error) {
    parts.log.error({ event: "destination", generation_id: row.id, error }, "A trace could not be planned");
    return nothing;
  }
}
