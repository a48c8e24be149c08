import { Text } from "@mantine/core";
import type { DryRunResult } from "#contract/routing-rule.ts";

type Changes = DryRunResult["results"][number]["parameter_changes"][number];
type Limit = Changes["limited"][number];

interface ParameterListProps {
  /** The names of the fields of the request. */
  readonly parameters: readonly string[];
  /** What the endpoint changes; undefined: nothing. */
  readonly changes: Changes | undefined;
}

/** `temperature (at most 1)`. */
function limitText({ name, min, max, values, without_reasoning: withoutReasoning }: Limit): string {
  const limits = [
    ...(min === null ? [] : [`at least ${min}`]),
    ...(max === null ? [] : [`at most ${max}`]),
    ...(values === null ? [] : [`only ${values.join(", ")}`]),
    ...(withoutReasoning ? ["only with reasoning off"] : []),
  ];
  return `${name} (${limits.join("; ")})`;
}

/** What one provider gets of the fields of a request, in the words of the log. */
export function ParameterList({ parameters, changes }: ParameterListProps) {
  const { dropped = [], translated = [], limited = [] } = changes ?? {};
  const changed = new Set([...dropped, ...translated.map(({ from }) => from)]);
  const rows = [
    ["Sent", parameters.filter((name) => !changed.has(name))],
    ["Renamed", translated.map(({ from, to }) => `${from} → ${to}`)],
    ["Limited", limited.map(limitText)],
    ["Left out", dropped],
  ] as const;
  return rows.map(
    ([label, names]) =>
      names.length > 0 && (
        <Text key={label} size="xs" c="dimmed">
          <Text span inherit fw={600} c={label === "Left out" ? "var(--mantine-color-text)" : undefined}>
            {label}:
          </Text>{" "}
          {names.join(", ")}
        </Text>
      ),
  );
}
