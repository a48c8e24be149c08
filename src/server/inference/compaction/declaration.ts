import { CompactedResponse, CompactRequest } from "#contract/compaction.ts";
import { responsesDeclaration } from "../operations/responses/declaration.ts";
import type { OperationDeclaration } from "../operations/shared/declaration.ts";

const { answer } = responsesDeclaration.example;
const question = "Which port is the largest of Belgium?";

export const compactDeclaration: OperationDeclaration<CompactRequest, CompactedResponse> = {
  request: CompactRequest,
  answer: CompactedResponse,
  body: "conversation",
  operationId: "responses-compact",
  summary: "Compact a conversation",
  description:
    "The requested model writes a summary of the conversation, on any provider, routed, billed and limited as any " +
    "other request. The messages of the user are returned unchanged, and after them one item of type `compaction` " +
    "with the summary, encrypted for the organisation. As the beginning of the next `input`, they replace the " +
    "conversation. Nothing is stored. Reasoning is not part of the summary.",
  example: {
    request: {
      model: "sandbox/chat",
      input: [
        { type: "message", role: "user", content: question },
        { type: "message", role: "assistant", content: "Antwerp." },
      ],
    },
    answer: {
      id: answer.id,
      object: "response.compaction",
      created_at: answer.created_at,
      model: answer.model,
      provider: answer.provider,
      output: [
        {
          id: "msg_4dd05f2c7a5b0a3a0a3f5a2be5e7f0c1f6f4f2a1c0d9e8b7",
          type: "message",
          role: "user",
          status: "completed",
          content: [{ type: "input_text", text: question }],
        },
        {
          id: "cmp_0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6a7b8c9d0e1f2a3b",
          type: "compaction",
          encrypted_content: "portolan.s1.0a1b2c3d.…",
        },
      ],
      usage: answer.usage,
    },
  },
};
