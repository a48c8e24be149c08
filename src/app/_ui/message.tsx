import { Box, Text } from "@mantine/core";
import { contentText } from "../_lib/content-text.ts";
import { textOf } from "../_lib/json.ts";

const speakers: Record<string, string> = { user: "You", assistant: "Model" };

interface SaidProps {
  /** An item of a conversation, as any operation spells it. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** One item of a conversation: its role and text, or JSON when it is not plain text. */
export function Message({ item }: SaidProps) {
  const { role, type, content } = item;
  const name = textOf(role) || textOf(type) || "item";
  return (
    <Box>
      <Text size="xs" c="dimmed" fw={600}>
        {speakers[name] ?? name.replaceAll("_", " ")}
      </Text>
      <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {contentText(content) ?? JSON.stringify(item, null, 2)}
      </Text>
    </Box>
  );
}
