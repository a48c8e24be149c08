import { z } from "zod";
import type { ConversationItem } from "#contract/conversations.ts";
import type { ResponseItem } from "#contract/response-items.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { withIds } from "../responses/stored-content.ts";

/** An item on its way into the database: its row, and its content, which is encrypted. */
export const SealedItem = z.object({ id: z.uuid(), item_id: z.string(), content: z.string() });
export type SealedItem = z.infer<typeof SealedItem>;

interface Row {
  readonly id: string;
  readonly org_id: string;
}

const placeOf = ({ id, org_id }: Row) => ({
  table: "conversation_item",
  column: "content",
  rowId: id,
  orgId: org_id,
});

/** A message as OpenAI returns it: its content in parts, and with its status. */
function withParts(item: ResponseItem): ResponseItem {
  if (item.type !== "message") return item;
  const { content, role } = item;
  const status = item.status ?? "completed";
  if (typeof content !== "string") return { ...item, status };
  const part =
    role === "assistant"
      ? { type: "output_text", text: content, annotations: [], logprobs: [] }
      : { type: "input_text", text: content };
  return { ...item, content: [part], status };
}

/** Items as a conversation shows them: each with its type and id, messages in parts. */
export const asConversationItems = (items: readonly ResponseItem[]): ConversationItem[] =>
  withIds(items).map((item) => {
    const { id, type, ...rest } = withParts(item);
    return { id: String(id), type: String(type), ...rest };
  });

export const sealItems = (sealer: Sealer, orgId: string, items: readonly ConversationItem[]): SealedItem[] =>
  items.map((item) => {
    const id = uuidv7();
    const content = sealer.seal(JSON.stringify(item), placeOf({ id, org_id: orgId }));
    return { id, item_id: item.id, content };
  });

export const openItem = (sealer: Sealer, row: Row & { readonly content: string }): ConversationItem =>
  JSON.parse(sealer.open(row.content, placeOf(row))) as ConversationItem;
