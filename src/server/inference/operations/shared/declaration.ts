import type { z } from "zod";
import type { bodyBytesMax } from "#contract/sizes.ts";
import type { InferenceRequest } from "#server/inference/pipeline/request.ts";

/** What an operation takes and answers, and how the reference describes it. */
export interface OperationDeclaration<
  Request extends InferenceRequest = InferenceRequest,
  Complete = unknown,
> {
  readonly request: z.ZodType<Request>;
  /** The complete answer; a stream sends pieces of it. */
  readonly answer: z.ZodType<Complete>;
  /** The kind of body, which bounds its size. */
  readonly body: keyof typeof bodyBytesMax;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly example: { readonly request: Request; readonly answer: Complete };
}
