import { expect, test } from "vitest";
import type { Json } from "../wires/shared/json.ts";
import { factsOf } from "./answer-facts.ts";
import { ChunkWriter } from "./sdk-stream.ts";

const azureEvent = (delta: Json, facts: Json) => ({
  type: "raw" as const,
  rawValue: { choices: [{ index: 0, delta, ...facts }], service_tier: "default" },
});
const text = (delta: string) => ({ type: "text-delta" as const, id: "0", delta });

test("the facts of an event are in the chunk with its text, so that a stream does not get longer", () => {
  const writer = new ChunkWriter(factsOf("azure"));
  const filter = { content_filter_results: { hate: { filtered: false } } };
  expect(writer.write(azureEvent({ content: "Hi" }, filter))).toEqual([]);
  expect(writer.write(text("Hi"))).toEqual([
    {
      service_tier: "default",
      choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null, ...filter }],
    },
  ]);
});

test("the facts of an event of which the package makes nothing go out before the next event", () => {
  const writer = new ChunkWriter(factsOf("anthropic"));
  const cited = (citation: Json) => ({
    type: "raw" as const,
    rawValue: { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
  });
  expect(writer.write(cited({ n: 1 }))).toEqual([]);
  expect(writer.write(cited({ n: 2 }))).toMatchObject([{ choices: [{ delta: { citations: [{ n: 1 }] } }] }]);
  expect(writer.write(text("Hi"))).toMatchObject([
    { choices: [{ delta: { citations: [{ n: 2 }], content: "Hi" } }] },
  ]);
});
