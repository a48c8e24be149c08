import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RerankRequest } from "#contract/rerank.ts";
import { sending } from "#test/sending.ts";
import { nativeRerank, readResults } from "./wire.ts";

const documents = ["a", "b", "c"];
const request = (more: object = {}) => RerankRequest.parse({ model: "m/m", query: "q", documents, ...more });
const scores = [0.1, 0.9, 0.5].map((relevance_score, index) => ({ index, relevance_score }));
const read = (answer: unknown, more: object = {}) => nativeRerank.reader(request(more)).answer(answer);

describe("an upstream's results", () => {
  test("are sorted best first, equal ones by their place, and cut to `top_n`", () => {
    expect(read({ results: scores })?.results.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(read({ results: scores }, { top_n: 2 })?.results.map(({ index }) => index)).toEqual([1, 2]);
    expect(read({ results: scores }, { top_k: 1 })?.results.map(({ index }) => index)).toEqual([1]);
    const equal = [2, 0, 1].map((index) => ({ index, relevance_score: 0.5 }));
    expect(read({ results: equal })?.results.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test.each([
    ["none", undefined],
    ["no list", { 0: scores[0] }],
    ["too few", scores.slice(1)],
    ["a document that was not sent", [...scores.slice(1), { index: 3, relevance_score: 1 }]],
    ["a negative place", [...scores.slice(1), { index: -1, relevance_score: 1 }]],
    ["a broken place", [...scores.slice(1), { index: 0.5, relevance_score: 1 }]],
    ["a document twice", [...scores.slice(1), { index: 1, relevance_score: 1 }]],
    ["a text for a score", [...scores.slice(1), { index: 0, relevance_score: "1" }]],
    ["no score", [...scores.slice(1), { index: 0 }]],
    ["a null", [...scores.slice(1), null]],
  ])("with %s count as malformed, so that another endpoint is tried", (_, results) => {
    expect(() => read({ results })).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ outcome: "malformed", retry: "endpoint" }),
      }),
    );
  });

  test("whatever JSON they are, are either refused or distinct places in order of their scores", () => {
    const result = fc.oneof(
      fc.record({ index: fc.integer({ min: -1, max: 5 }), relevance_score: fc.double() }),
      fc.jsonValue(),
    );
    const count = 5;
    fc.assert(
      fc.property(fc.array(result, { maxLength: 8 }), fc.integer({ min: 1, max: count }), (value, wanted) => {
        let results: ReturnType<typeof readResults>;
        try {
          results = readResults(value, count, wanted);
        } catch (error) {
          expect(error).toHaveProperty("failure.outcome", "malformed");
          return;
        }
        expect(results).toHaveLength(wanted);
        expect(new Set(results.map(({ index }) => index)).size).toBe(wanted);
        for (const [place, { index, relevance_score: score }] of results.entries()) {
          expect(index).toBeGreaterThanOrEqual(0);
          expect(index).toBeLessThan(count);
          expect(score).toBeLessThanOrEqual(results[place - 1]?.relevance_score ?? Number.MAX_VALUE);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  [{ usage: { total_tokens: 40, prompt_tokens: 40 } }, { uncached: 40, searchUnits: 1, estimated: false }],
  [{ usage: { total_tokens: 12 } }, { uncached: 12, searchUnits: 1, estimated: false }],
  [{ meta: { billed_units: { search_units: 7 } } }, { uncached: 0, searchUnits: 7, estimated: false }],
  [{ usage: { total_tokens: "9" } }, { uncached: 6, searchUnits: 1, estimated: true }],
  [{}, { uncached: 6, searchUnits: 1, estimated: true }],
])("usage reported as %j is %j", (told, usage) => {
  expect(read({ results: scores, ...told })?.usage).toMatchObject(usage);
});

test("documents go out as texts: objects by their text or their fields, in the order of `rank_fields`", () => {
  const body = nativeRerank.encode(
    request({
      query: { text: "where?" },
      documents: ["plain", { text: "object" }],
    }),
    // Only its name for the model is read.
    { upstreamModel: "up" } as Parameters<typeof nativeRerank.encode>[1],
    sending(),
  );
  expect(body).toEqual({
    model: "up",
    query: "where?",
    documents: ["plain", "object"],
    top_n: 2,
    return_documents: false,
  });
});
