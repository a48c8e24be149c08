import { Text } from "@mantine/core";
import { amountText, exactAmountText, limitText } from "#app/_lib/limit-text.ts";
import type { ApiKey } from "#contract/key.ts";

/** What a key has spent, and of how much. */
export function KeySpent({ apiKey }: { apiKey: ApiKey }) {
  return (
    <span title={exactAmountText(apiKey.usage)}>
      {amountText(apiKey.usage)}
      <Text component="span" size="xs" c="dimmed" display="block">
        {limitText(apiKey)}
      </Text>
    </span>
  );
}
