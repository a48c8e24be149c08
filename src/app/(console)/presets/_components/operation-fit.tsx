import { Alert, Text } from "@mantine/core";
import { type Api, apis, operationRow } from "#contract/inference-operations.ts";
import type { PresetConfig } from "#contract/preset.ts";
import { presetFit } from "#contract/preset-fields.ts";

const list = new Intl.ListFormat("en-GB");

/** The operations that take all of a preset, or what keeps it from fitting any. */
export function OperationFit({
  config,
  systemPrompt,
}: {
  config: PresetConfig;
  systemPrompt: string | null;
}) {
  const unfit = (api: Api) => presetFit(config, systemPrompt, api).unfit;
  const fitting = apis.filter((api) => unfit(api).length === 0);
  if (fitting.length === 0)
    return (
      <Alert color="orange" variant="light" c="var(--mantine-color-text)" role="status">
        No operation takes all of this. /chat/completions does not take{" "}
        {list.format(unfit("chat")).replaceAll("`", "")}.
      </Alert>
    );
  return (
    <Text size="sm" c="dimmed" role="status">
      Fits requests to {list.format(fitting.map((api) => operationRow(api).path))}.
    </Text>
  );
}
