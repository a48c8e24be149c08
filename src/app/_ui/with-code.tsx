import { Code } from "@mantine/core";

/** A text as the OpenAPI document has it: what stands between backticks is code. */
export function WithCode({ text }: { text: string }) {
  const parts = text
    .split("`")
    .map((part, index) => ({ part, id: `${index} ${part}`, code: index % 2 === 1 }));
  return parts.map(({ part, id, code }) => (code ? <Code key={id}>{part}</Code> : part));
}
