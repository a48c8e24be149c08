import { Box, Group, Text } from "@mantine/core";

interface FlowLegendProps {
  readonly items: readonly { readonly label: string; readonly color: string }[];
  /** Whether dashed lines show what was excluded. */
  readonly hasExcluded?: boolean;
}

/** What the colours of a flow picture mean. */
export const FlowLegend = ({ items, hasExcluded = false }: FlowLegendProps) => (
  <Group gap="md" justify="flex-end" mb={4}>
    {items.map(({ label, color }) => (
      <Group key={label} gap={6}>
        <Box w={10} h={10} bg={color} style={{ borderRadius: "50%" }} />
        <Text size="xs">{label}</Text>
      </Group>
    ))}
    {hasExcluded && <Text size="xs">- - excluded</Text>}
  </Group>
);
