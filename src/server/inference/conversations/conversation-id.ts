import type { ResponseRequest } from "#contract/responses.ts";
import { checkedId, uuidOfChecked } from "#server/platform/checked-ids.ts";

const prefix = "conv";

/** The id of a conversation as clients see it. */
export const conversationIdOf = (uuid: string): string => checkedId(prefix, uuid);

/** The row of a conversation's id; null if the id is not valid. */
export const conversationRowId = (id: string): string | null => uuidOfChecked(prefix, id);

/** The id of the conversation that a request names; null without one. */
export const conversationNamed = ({ conversation }: Pick<ResponseRequest, "conversation">): string | null =>
  typeof conversation === "string" ? conversation : (conversation?.id ?? null);
