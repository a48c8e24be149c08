// Random requests: subsets of the fields of an operation, with values that its schema takes.
import fc from "fast-check";
import type { z } from "zod";
import type { Api } from "#contract/inference-operations.ts";
import type { Json } from "#test/providers/shape.ts";
import { closed, type Nested } from "./nested.ts";
import { settingsOf, tested } from "./run.ts";
import type { Sent } from "./samples.ts";
import { type Target, targets } from "./targets.ts";

/** Fields that say the same, of which clients send one. */
const alternatives: readonly (readonly string[])[] = [
  ["max_tokens", "max_completion_tokens"],
  ["reasoning", "reasoning_effort", "thinking"],
  ["thinking", "output_config"],
  ["tools", "functions"],
  ["functions", "tool_choice"],
  ["functions", "parallel_tool_calls"],
  ["tool_choice", "function_call"],
  ["function_call", "tools"],
  ["top_n", "top_k"],
  ["metadata", "user"],
  ["include", "top_logprobs"],
  ["n", "best_of"],
];

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const format = { type: "json_schema", json_schema: { name: "answer", strict: true, schema: closed } };
/** Values of fields by their names, where they are more than those of the samples; of all operations together. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  temperature: [0, 0.3, 1, 1.4, 2],
  top_p: [0.1, 0.995, 1],
  top_k: [1, 40, 500],
  min_p: [0, 0.5],
  frequency_penalty: [-2, 0, 1.5, 2],
  presence_penalty: [-2, 0, 1.5, 2],
  repetition_penalty: [0.5, 1, 2],
  seed: [0, 7, 123_456],
  stop: ["END", ["END"], ["a", "b", "c", "d"]],
  stop_sequences: [["END"], ["a", "b", "c", "d"]],
  n: [1, 2, 4],
  best_of: [1, 4],
  echo: [true, false],
  logprobs: [true, 1, 5],
  top_logprobs: [0, 5, 20],
  max_tokens: [1, 99, 4_096],
  max_completion_tokens: [1, 99, 4_096],
  max_output_tokens: [16, 99, 4_096],
  parallel_tool_calls: [true, false],
  response_format: [{ type: "text" }, format],
  text: [
    { verbosity: "high" },
    { format: { type: "json_schema", name: "answer", strict: true, schema: closed }, verbosity: "low" },
  ],
  reasoning: [
    ...efforts.map((effort) => ({ effort })),
    ...[{ max_tokens: 2_048 }, { enabled: true }, { enabled: false }, { effort: "high", exclude: true }],
    { effort: "low", summary: "auto" },
  ],
  reasoning_effort: efforts,
  thinking: [{ type: "enabled", budget_tokens: 2_048 }, { type: "adaptive" }, { type: "disabled" }],
  output_config: [{ effort: "low" }, { effort: "max" }, { format: { type: "json_schema", schema: closed } }],
  verbosity: ["low", "medium", "high"],
  service_tier: ["auto", "default", "flex", "priority"],
};
const functions = ["none", "auto", "required"];
/** Values of fields that operations write in different ways. */
const ownValues: Readonly<Partial<Record<Api, typeof values>>> = {
  chat: { tool_choice: [...functions, { type: "function", function: { name: "weather" } }] },
  responses: { tool_choice: [...functions, { type: "function", name: "weather" }] },
  messages: {
    tool_choice: [{ type: "auto" }, { type: "any" }, { type: "none" }, { type: "tool", name: "weather" }],
    temperature: [0, 0.3, 1],
    service_tier: ["auto", "standard_only"],
  },
  // One more document than there is asks for nothing.
  rerank: { top_k: [1] },
};

/** One request for one provider. */
export interface Asked {
  readonly target: Target;
  readonly operation: Api;
  readonly streamed: boolean;
  readonly fields: Json;
  /** What else the request has: a conversation, its tools. */
  readonly nested: Nested | null;
}

const isValid = (shape: Readonly<Record<string, z.ZodType>>, name: string, value: unknown): boolean =>
  shape[name]?.safeParse(value).success ?? true;

/** The values of a field that its schema takes. */
const valuesOf = (operation: Api, name: string, sample: Sent): fc.Arbitrary<unknown> => {
  const more = ownValues[operation]?.[name] ?? values[name] ?? [];
  return fc.constantFrom(
    sample.value,
    ...more.filter((value) => isValid(tested[operation].shape, name, value)),
  );
};

/** Without the later ones of fields that say the same. */
const withoutDoubles = (fields: Json): Json => {
  const names = Object.keys(fields);
  const isDouble = (name: string, at: number) =>
    alternatives.some(
      (group) => group.includes(name) && names.slice(0, at).some((one) => group.includes(one)),
    );
  return Object.fromEntries(Object.entries(fields).filter(([name], at) => !isDouble(name, at)));
};

/** More would be refused for one of them nearly always. */
const fieldsMax = 6;

const fieldsOf = (operation: Api): fc.Arbitrary<Json> =>
  fc
    .shuffledSubarray([...settingsOf(tested[operation])])
    .map((chosen) => chosen.slice(0, fieldsMax))
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map(([name, sample]) =>
          valuesOf(operation, name, sample).map((value) => ({ ...sample.with, [name]: value })),
        ),
      ),
    )
    .map((parts) => Object.assign({}, ...parts));

const pairs = targets.flatMap((target) =>
  (Object.keys(tested) as Api[])
    .filter((operation) => tested[operation].over.some((api) => target.apis.includes(api)))
    .map((operation) => ({ target, operation })),
);

export const arbitraryRequest: fc.Arbitrary<Asked> = fc
  .constantFrom(...pairs)
  .chain(({ target, operation }) => {
    const one = tested[operation];
    return fc.record({
      target: fc.constant(target),
      operation: fc.constant(operation),
      streamed: one.streams ? fc.boolean() : fc.constant(false),
      fields: fieldsOf(operation),
      nested: one.nested ? fc.option(fc.constantFrom(...one.nested)) : fc.constant(null),
    });
  });

/** OpenAI wants the word JSON somewhere if it is asked for JSON. */
const opening: Readonly<Record<Api, Json>> = {
  chat: { messages: [{ role: "user", content: "Give me json" }] },
  responses: { input: "Give me json" },
  messages: {},
  completions: {},
  embeddings: {},
  rerank: {},
};

/** The body without some of its fields. */
export function bodyOf({ operation, streamed, fields, nested }: Asked, left: ReadonlySet<string>): Json {
  const own = withoutDoubles({ ...nested?.request, ...fields, ...nested?.request });
  const body = Object.fromEntries(Object.entries(own).filter(([name]) => !left.has(name)));
  const stream = streamed || body.stream === true ? { stream: true } : {};
  return { ...opening[operation], ...body, ...stream };
}

/** The fields of a request that could not stay without this one. */
export const dependentsOf = ({ operation, fields }: Asked, name: string): ReadonlySet<string> => {
  const { samples } = tested[operation];
  const needs = (other: string): boolean => {
    const sample = samples[other];
    return typeof sample === "object" && Object.hasOwn(sample.with ?? {}, name);
  };
  return new Set([name, ...Object.keys(fields).filter(needs)]);
};
