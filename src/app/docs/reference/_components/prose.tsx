import { Text } from "@mantine/core";
import { WithCode } from "#app/_ui/with-code.tsx";

/** A description as a paragraph. */
export function Prose({ text }: { text: string }) {
  return (
    <Text size="sm">
      <WithCode text={text} />
    </Text>
  );
}
