import { setFlagsFromString } from "node:v8";
import { afterAll, expect, test } from "vitest";
import { generating } from "#server/platform/batches.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { endpoint, model, price, provider } from "#test/catalogues.ts";
import { inferenceOver } from "#test/inference.ts";
import { asking, operationNames } from "#test/operations.ts";
import type { Upstream } from "../providers/kind.ts";

const outbound = new Outbound(allowedHosts([]));
afterAll(() => outbound.close());

setFlagsFromString("--allow-natives-syntax");
/** V8's own answer: whether a text is stored in one piece. */
const isInOnePiece = new Function("text", "return %StringIsFlat(text)") as (text: string) => boolean;

/** The paths of texts in a value that are put together from pieces. */
const pieced = (value: unknown, path: string): string[] => {
  if (typeof value === "string") return isInOnePiece(value) ? [] : [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => pieced(inner, `${path}.${name}`));
};

const usage = { prompt_tokens: 1_234, completion_tokens: 5_678, total_tokens: 6_912 };
const answering: Upstream = {
  complete: async () => ({
    choices: [{ index: 0, text: "Hi", message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage,
  }),
  stream: generating(async function* (): AsyncGenerator<unknown[], void, undefined> {
    yield [{ choices: [{ index: 0, text: "Hi", delta: { content: "Hi" }, finish_reason: null }] }];
    yield [{ choices: [{ index: 0, text: "", delta: {}, finish_reason: "stop" }], usage }];
  }),
};

test.each(
  operationNames.flatMap((name) =>
    [false, true].flatMap((stream) =>
      (["EUR", "USD"] as const).map((currency) => [name, stream, currency] as const),
    ),
  ),
)("texts of a record are in one piece: %s, stream %s, price in %s", async (name, stream, currency) => {
  const priced = endpoint(provider("p"), model("m/x"), { price: price("3.21", "7.65", currency) });
  const { deps, learned } = inferenceOver([priced], () => answering, outbound);
  // What is made once for all requests is put in one piece when the first of them is written.
  for (let at = 0; at < 2; at++) {
    JSON.stringify(learned.final);
    const { frames } = await asking[name](deps, { stream });
    if (frames) for await (const _ of frames);
  }
  const [, row] = learned.final;
  expect(pieced({ ...row, decision_basis: undefined }, "row")).toEqual([]);
  // Afterwards, because matching puts a text in one piece.
  expect(row?.cost_parts).toMatch(new RegExp(`^${currency} `));
});

test("a text that was put together is found", () => {
  expect(pieced({ a: [`${process.version.repeat(2)}-and-more-of-it`] }, "row")).toEqual(["row.a.0"]);
});
