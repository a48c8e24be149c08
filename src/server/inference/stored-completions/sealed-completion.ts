import type { ChatCompletion, ChatMessage, ChatRequest } from "#contract/chat.ts";
import type { StoredCompletion } from "#contract/stored-completions.ts";
import type { Sealer } from "#server/platform/sealing.ts";

export type CompletionMetadata = StoredCompletion["metadata"];

/** A completion with the settings of its request. Its key-value pairs are separate, because they can change. */
export type CompletionContent = ChatCompletion;

interface Row {
  readonly id: string;
  readonly org_id: string;
}

const metadataPlace = ({ id, org_id }: Row) => ({
  table: "stored_completion",
  column: "metadata",
  rowId: id,
  orgId: org_id,
});
const messagesPlace = ({ id, org_id }: Row) => ({
  table: "stored_completion",
  column: "messages",
  rowId: id,
  orgId: org_id,
});
const completionPlace = ({ id, org_id }: Row) => ({
  table: "stored_completion",
  column: "completion",
  rowId: id,
  orgId: org_id,
});

export const sealMetadata = (sealer: Sealer, row: Row, metadata: CompletionMetadata): string =>
  sealer.seal(JSON.stringify(metadata), metadataPlace(row));

export const openMetadata = (sealer: Sealer, row: Row & { readonly metadata: string }): CompletionMetadata =>
  JSON.parse(sealer.open(row.metadata, metadataPlace(row))) as CompletionMetadata;

export const sealMessages = (sealer: Sealer, row: Row, messages: readonly ChatMessage[]): string =>
  sealer.seal(JSON.stringify(messages), messagesPlace(row));

export const openMessages = (sealer: Sealer, row: Row & { readonly messages: string }): ChatMessage[] =>
  JSON.parse(sealer.open(row.messages, messagesPlace(row))) as ChatMessage[];

export const sealCompletion = (sealer: Sealer, row: Row, completion: CompletionContent): string =>
  sealer.seal(JSON.stringify(completion), completionPlace(row));

export const openCompletion = (
  sealer: Sealer,
  row: Row & { readonly completion: string },
): CompletionContent => JSON.parse(sealer.open(row.completion, completionPlace(row))) as CompletionContent;

/** A completion with the settings of its request, as OpenAI returns a stored one. */
export const withSettings = (completion: ChatCompletion, request: ChatRequest): CompletionContent => ({
  ...completion,
  temperature: request.temperature ?? null,
  top_p: request.top_p ?? null,
  presence_penalty: request.presence_penalty ?? null,
  frequency_penalty: request.frequency_penalty ?? null,
  seed: request.seed ?? null,
  tools: request.tools ?? null,
  tool_choice: request.tool_choice ?? null,
  response_format: request.response_format ?? null,
  input_user: request.user ?? null,
  ...(request.functions && { functions: request.functions }),
  ...(request.function_call && { function_call: request.function_call }),
});
