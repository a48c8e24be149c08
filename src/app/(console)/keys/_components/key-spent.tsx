import { Text } from "@mantine/core";
import type { ApiKey } from "#contract/key.ts";
import { amountText, exactAmountText, limitText } from "../../../_lib/limit-words.ts";

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
