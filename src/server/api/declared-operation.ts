import { type Api, compactionPath, operationRow } from "#contract/inference-operations.ts";
import { compaction, contentFields, operations, type ServedOperation } from "#server/inference/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { permitted, rest } from "./trpc.ts";

/**
 * Declares an inference operation for REST, its permission and the reference. `http/inference-handler.ts` answers its
 * path without calling the procedure; only the console's protocol could call it.
 */
export function declaredOperation(api: Api) {
  const { path, streams } = operationRow(api);
  return declared(path, operations[api], streams);
}

/** The same for the operation that compacts a conversation. */
export const declaredCompaction = () => declared(compactionPath, compaction, false);

function declared(
  path: `/${string}`,
  { request, answer, operationId, summary, description, example }: ServedOperation,
  streams: boolean,
) {
  return permitted("inference:use", "workspace")
    .meta({
      ...rest("POST", path, {
        opaque: contentFields,
        summary,
        description,
        tag: "Inference",
        errors: [402, 404, 502, 504],
        example: { ...example.request },
        ...(streams && { streams }),
        idempotent: true,
        audit: { none: "recorded as a generation and in the ledger" },
      }),
      operationId,
      exampleAnswer: example.answer,
    })
    .input(request)
    .output(answer)
    .mutation((): never => {
      throw new AppError("FORBIDDEN", `Send inference requests to /api/v1${path} with an API key`);
    });
}
