import type { ChatRequest } from "#contract/chat.ts";
import type { CompactRequest } from "#contract/compaction.ts";
import type { Api } from "#contract/inference-operations.ts";
import type { MessagesRequest } from "#contract/messages.ts";
import type { ResponseRequest } from "#contract/responses.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { compactResponse } from "./compaction/compact.ts";
import { compactDeclaration } from "./compaction/declaration.ts";
import { chatDeclaration } from "./operations/chat/declaration.ts";
import { completionsDeclaration } from "./operations/completions/declaration.ts";
import { completions } from "./operations/completions/operation.ts";
import { embeddingsDeclaration } from "./operations/embeddings/declaration.ts";
import { embeddings } from "./operations/embeddings/operation.ts";
import { messagesDeclaration } from "./operations/messages/declaration.ts";
import { messages } from "./operations/messages/operation.ts";
import { prepareMessages } from "./operations/messages/prepare.ts";
import { rerankDeclaration } from "./operations/rerank/declaration.ts";
import { rerank } from "./operations/rerank/operation.ts";
import { responsesDeclaration } from "./operations/responses/declaration.ts";
import type { OperationDeclaration } from "./operations/shared/declaration.ts";
import type { Chunk, Operation } from "./pipeline/operation.ts";
import type { InferenceRequest } from "./pipeline/request.ts";
import type { InferenceCall, InferenceDeps } from "./pipeline/request-context.ts";
import { type Answer, serve } from "./pipeline/serve.ts";
import type { ResponseDeps } from "./responses/response-deps.ts";
import { serveResponse } from "./responses/serve-response.ts";
import { serveStorableChat } from "./stored-completions/serve-storable.ts";

interface ServingDeps {
  readonly inference: InferenceDeps;
  readonly responses: ResponseDeps;
}

/** An operation with everything that HTTP, the procedures and the reference need of it. */
export interface ServedOperation<Request extends InferenceRequest = InferenceRequest>
  extends OperationDeclaration<Request> {
  /**
   * Serves a request that its schema has accepted. A method, so that operations with different requests fit one
   * table.
   */
  serve(
    deps: ServingDeps,
    caller: Authorized<"inference:use">,
    request: Request,
    call: InferenceCall,
  ): Promise<Answer<unknown>>;
}

const served = <Request extends InferenceRequest, C extends Chunk, Complete>(
  declaration: OperationDeclaration<Request>,
  operation: Operation<Request, C, Complete>,
): ServedOperation<Request> => ({
  ...declaration,
  serve: ({ inference }, caller, request, call) => serve(inference, caller, operation, request, call),
});

const chat: ServedOperation<ChatRequest> = {
  ...chatDeclaration,
  serve: (deps, caller, request, call) => serveStorableChat(deps.responses, caller, request, call),
};

const responses: ServedOperation<ResponseRequest> = {
  ...responsesDeclaration,
  serve: (deps, caller, request, call) => serveResponse(deps.responses, caller, request, call),
};

const messagesOperation: ServedOperation<MessagesRequest> = {
  ...messagesDeclaration,
  serve: ({ inference }, caller, request, call) =>
    serve(inference, caller, messages, prepareMessages(request, call.protocolHeaders), call),
};

/** Every inference operation. A new one needs a folder in `operations/`, a row in the contract and a line here. */
export const operations: Readonly<Record<Api, ServedOperation>> = {
  chat,
  responses,
  messages: messagesOperation,
  completions: served(completionsDeclaration, completions),
  embeddings: served(embeddingsDeclaration, embeddings),
  rerank: served(rerankDeclaration, rerank),
};

/** `POST /responses/compact`: served like the operation `responses`, with another request and answer. */
export const compaction: ServedOperation<CompactRequest> = {
  ...compactDeclaration,
  serve: (deps, caller, request, call) => compactResponse(deps.responses, caller, request, call),
};
