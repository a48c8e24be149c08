import type { ResponseItem } from "#contract/response-items.ts";
import { AppError } from "#server/platform/errors.ts";
import { randomHex } from "#server/platform/ids.ts";
import type { Sealer } from "#server/platform/sealing.ts";

/** The beginning of our encrypted summaries; those of providers begin otherwise. */
const prefix = "portolan.";

const placeOf = (orgId: string) => ({ table: "compaction", column: "summary", rowId: "", orgId });

/** An item with an encrypted summary, which requests of the organisation can use. */
export const compactionItem = (sealer: Sealer, orgId: string, summary: string) => ({
  id: `cmp_${randomHex(24)}`,
  type: "compaction",
  encrypted_content: prefix + sealer.seal(summary, placeOf(orgId)),
});

const introduction =
  "Summary of the conversation so far, written by an assistant. The user's messages above are complete; everything " +
  "else is replaced by this summary.\n\n";

function opened(sealer: Sealer, orgId: string, content: string): string {
  try {
    return sealer.open(content.slice(prefix.length), placeOf(orgId));
  } catch (cause) {
    const message =
      "input: the encrypted_content of a compaction cannot be read: it was changed, belongs to another organisation, or its encryption key is gone";
    throw new AppError("BAD_REQUEST", message, { param: "input", cause });
  }
}

/**
 * Items with our summaries as messages, which every provider can read. Compactions of providers remain as they are.
 * Throws BAD_REQUEST for a summary that cannot be read.
 */
export function withSummaries(
  sealer: Sealer,
  orgId: string,
  items: readonly ResponseItem[],
): readonly ResponseItem[] {
  if (!items.some(({ type }) => type === "compaction")) return items;
  return items.map((item) => {
    const { type, encrypted_content: content } = item;
    if (type !== "compaction" || typeof content !== "string" || !content.startsWith(prefix)) return item;
    const text = introduction + opened(sealer, orgId, content);
    return { type: "message", role: "user", content: [{ type: "input_text", text }] };
  });
}
