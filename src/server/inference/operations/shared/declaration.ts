import type { z } from "zod";
import type { bodyBytesMax } from "#contract/sizes.ts";
import type { InferenceRequest } from "#server/inference/pipeline/request.ts";

/** The input and output of an operation, and its description in the reference. */
export interface OperationDeclaration<
  Request extends InferenceRequest = InferenceRequest,
  Complete = unknown,
> {
  readonly request: z.ZodType<Request>;
  /** The complete answer; a stream contains chunks of it. */
  readonly answer: z.ZodType<Complete>;
  /** The kind of body, which limits its size. */
  readonly body: keyof typeof bodyBytesMax;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly example: { readonly request: Request; readonly answer: Complete };
}
