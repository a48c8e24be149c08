import { Code, Text } from "@mantine/core";

/** A description as the document has it: what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  const parts = text
    .split("`")
    .map((part, index) => ({ part, id: `${index} ${part}`, code: index % 2 === 1 }));
  return (
    <Text size="sm">{parts.map(({ part, id, code }) => (code ? <Code key={id}>{part}</Code> : part))}</Text>
  );
}
