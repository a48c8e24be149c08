import type { TraceContent } from "#contract/trace-content.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import type { TracePlan } from "#server/destinations/index.ts";
import { liesWithin } from "#server/policy/index.ts";
import type { Chunk } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";

const nothing: TracePlan = { recipients: [], traces: [] };

/** The content of an operation without content of its own. */
const textOnly = (chunks: readonly Chunk[]): TraceContent => ({
  input: [],
  output: [
    { role: "assistant", parts: [{ type: "text", content: chunks.map(({ text }) => text).join("") }] },
  ],
});

/**
 * Plans which destinations get a finished generation, sealed and ready to be stored with it. Never throws, so that a
 * trace cannot fail an answer.
 */
export function tracesOf<Request extends InferenceRequest, C extends Chunk, Complete>(
  { deps, operation, request, generation }: RequestContext<Request, C, Complete>,
  row: GenerationRow,
  produced: readonly C[],
): TracePlan {
  if (!deps.broadcast.wants(row.org_id)) return nothing;
  try {
    const residency = generation.residency();
    return deps.broadcast.plan({
      facts: row,
      request,
      key: { keyName: generation.caller.keyName, workspaceId: generation.caller.workspaceId },
      content: () => operation.content?.(request, produced) ?? textOnly(produced),
      mayKeepAt: (place) => residency === null || liesWithin(place, residency),
    });
  } catch (error) {
    deps.log.error({ event: "destination", generation_id: row.id, error }, "A trace could not be planned");
    return nothing;
  }
}
