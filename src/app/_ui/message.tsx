import { Box, Group, Image, Text } from "@mantine/core";
import { contentParts } from "../_lib/content-parts.ts";
import { textOf } from "../_lib/json.ts";

const speakers: Record<string, string> = { user: "You", assistant: "Model" };

/** Images from other servers are not loaded: they would tell them who reads the message. */
const isInline = (url: string): boolean => url.startsWith("data:image/");

interface SaidProps {
  /** An item of a conversation, as any operation spells it. */
  readonly item: Readonly<Record<string, unknown>>;
}

/** One item of a conversation: its role, text and images, or JSON when there is more to it. */
export function Message({ item }: SaidProps) {
  const { role, type, content } = item;
  const name = textOf(role) || textOf(type) || "item";
  const parts = contentParts(content) ?? { text: JSON.stringify(item, null, 2), images: [] };
  const remote = parts.images.filter((url) => !isInline(url)).map((url) => `Image: ${url}`);
  return (
    <Box>
      <Text size="xs" c="dimmed" fw={600}>
        {speakers[name] ?? name.replaceAll("_", " ")}
      </Text>
      <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {[parts.text, ...remote].filter(Boolean).join("\n")}
      </Text>
      {parts.images.length > remote.length && (
        <Group gap="xs" mt={4}>
          {parts.images.filter(isInline).map((url, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the images of a message do not change
            <Image key={at} src={url} alt={`Image ${at + 1} of the message`} h={96} w="auto" radius="sm" />
          ))}
        </Group>
      )}
    </Box>
  );
}
