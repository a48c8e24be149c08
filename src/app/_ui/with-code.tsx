import { Code } from "@mantine/core";

/** A text of the OpenAPI document: text between backticks is code. */
export function WithCode({ text }: { text: string }) {
  const segments = text
    .split("`")
    .map((segment, index) => ({ segment, id: `${index} ${segment}`, code: index % 2 === 1 }));
  return segments.map(({ segment, id, code }) => (code ? <Code key={id}>{segment}</Code> : segment));
}
