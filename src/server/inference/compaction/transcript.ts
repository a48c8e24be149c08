import type { ResponseItem } from "#contract/response-items.ts";
import { AppError } from "#server/platform/errors.ts";

/** Members that mean nothing to a reader of the conversation. */
const unread: ReadonlySet<string> = new Set(["id", "status", "logprobs", "annotations"]);
/** Members with pictures and files. */
const media: ReadonlySet<string> = new Set(["image_url", "file_data", "data"]);
const mediaCharsMax = 1_024;

const readable = (name: string, value: unknown): unknown => {
  if (unread.has(name)) return undefined;
  return media.has(name) && typeof value === "string" && value.length > mediaCharsMax ? "[not shown]" : value;
};

/**
 * A conversation as text, one item per line, so that it can be summarised by models that refuse tool calls without
 * tools. Reasoning is left out. Throws BAD_REQUEST for what only one provider can read.
 */
export function transcriptOf(items: readonly ResponseItem[]): string {
  const lines: string[] = [];
  for (const item of items) {
    if (item.type === "reasoning") continue;
    if (item.type === "compaction")
      throw new AppError("BAD_REQUEST", "input: a compaction made by a provider cannot be compacted again", {
        param: "input",
      });
    lines.push(JSON.stringify({ ...item, type: item.type ?? "message" }, readable));
  }
  return lines.join("\n");
}
