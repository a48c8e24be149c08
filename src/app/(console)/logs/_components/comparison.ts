import { formatAbsolute, formatCount, formatDuration, formatEur } from "#app/_lib/format.ts";
import { attemptText } from "#contract/attempt-words.ts";
import type { GenerationDetail } from "#contract/generation.ts";

type ValueOf = (generation: GenerationDetail) => string | null;

const duration = (ms: number | null): string | null => (ms === null ? null : formatDuration(ms));
const list = (texts: readonly string[]): string | null => (texts.length > 0 ? texts.join(", ") : null);
const modelsOf = ({ decision }: GenerationDetail) => decision.models;

/** What requests are compared by, besides their parameters. */
const facts = (nameOfKey: (id: string) => string): readonly (readonly [string, ValueOf])[] => [
  ["Started", ({ started_at }) => formatAbsolute(started_at)],
  ["Status", ({ status }) => status],
  ["Error", ({ error_code }) => error_code],
  ["Operation", ({ operation }) => operation],
  ["Requested model", ({ model_requested }) => model_requested],
  ["Model", ({ model }) => model],
  ["Provider", ({ provider }) => provider],
  ["Endpoint", ({ endpoint }) => endpoint],
  ["Strategy", ({ strategy }) => strategy],
  ["Rules", (one) => formatCount(modelsOf(one)[0]?.rule_count ?? 0)],
  ["Admitted endpoints", (one) => list(modelsOf(one).flatMap(({ ranked }) => ranked))],
  [
    "Excluded endpoints",
    (one) => list(modelsOf(one).flatMap((model) => model.excluded.map((out) => out.endpoint))),
  ],
  ["Attempts", (one) => list(one.tries.map((tried) => `${tried.endpoint} ${attemptText(tried, one)}`))],
  ["Time to first token", ({ latency_ms }) => duration(latency_ms)],
  ["Duration", ({ duration_ms }) => duration(duration_ms)],
  ["Input tokens", ({ usage }) => formatCount(usage.prompt_tokens)],
  ["Cached tokens", ({ usage }) => formatCount(usage.cached_tokens)],
  ["Output tokens", ({ usage }) => formatCount(usage.completion_tokens)],
  ["Reasoning tokens", ({ usage }) => formatCount(usage.reasoning_tokens)],
  ["Cost", ({ cost }) => formatEur(cost.eur)],
  ["Finish reason", ({ finish_reason }) => finish_reason],
  ["Streamed", ({ streamed }) => (streamed ? "yes" : "no")],
  ["Key", ({ api_key_id }) => nameOfKey(api_key_id)],
  ["App", ({ app_title }) => app_title],
  ["User", ({ user_reference }) => user_reference],
  ["Session", ({ session_id }) => session_id],
];

export interface ComparedRow {
  readonly name: string;
  /** Of the first and of the second request; null where it has none. */
  readonly values: readonly [string | null, string | null];
  readonly differs: boolean;
}

const parameterText = (value: unknown): string | null =>
  value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);

/** Two requests fact by fact and parameter by parameter, without what neither of them has. */
export function compared(
  first: GenerationDetail,
  second: GenerationDetail,
  nameOfKey: (id: string) => string,
): ComparedRow[] {
  const names = new Set([...Object.keys(first.parameters), ...Object.keys(second.parameters)]);
  const rows = [
    ...facts(nameOfKey).map(([name, read]) => [name, read(first), read(second)] as const),
    ...[...names]
      .toSorted()
      .map(
        (name) =>
          [
            `Parameter ${name}`,
            parameterText(first.parameters[name]),
            parameterText(second.parameters[name]),
          ] as const,
      ),
  ];
  return rows
    .filter(([, one, other]) => one !== null || other !== null)
    .map(([name, one, other]) => ({ name, values: [one, other], differs: one !== other }));
}
