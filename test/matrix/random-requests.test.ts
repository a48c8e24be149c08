import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { asksFor } from "#server/inference/parameters/used.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { startUpstream } from "#test/dialects/server.ts";
import type { Mock } from "#test/providers/mock.ts";
import { isJson, type Json } from "#test/providers/shape.ts";
import { faults, outcomeOf } from "./outcome.ts";
import { type Asked, arbitraryRequest, bodyOf, dependentsOf } from "./random-requests.ts";
import { asker, tested } from "./run.ts";

/** About ten for each operation at each provider. */
const runs = 600;

const upstream = await startUpstream();
const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
afterAll(async () => {
  await outbound.close();
  await upstream.close();
});

const isOff = (value: unknown): boolean =>
  value === "none" ||
  (isJson(value) && (value.type === "disabled" || value.effort === "none" || value.enabled === false));
const callsNone = ({ tool_choice: choice }: Json): boolean =>
  choice === "none" || (isJson(choice) && choice.type === "none");
const hasSchema = ({ response_format: format, text, output_config: config }: Json): boolean =>
  /"json_schema"/.test(JSON.stringify([format, text, config]));

/** Values that ask for what happens without them, some of them only beside others. */
const moot: Readonly<Record<string, (value: unknown, body: Json, mock: Mock) => boolean>> = {
  parallel_tool_calls: (value, body) => value === true || callsNone(body),
  tools: (_, body) => callsNone(body),
  // In completions both are a number under two names, and the greater one counts.
  top_logprobs: (value, { logprobs }) =>
    value === 0 || (typeof logprobs === "number" && logprobs >= Math.min(Number(value), 5)),
  logprobs: (value, { top_logprobs: top }) => typeof value === "number" && Number(top ?? -1) >= value,
  thinking: isOff,
  reasoning: isOff,
  reasoning_effort: isOff,
  // Where a tool is made of the schema, a call is required anyway.
  tool_choice: (value, body, { name }) =>
    (isJson(value) && value.type === "auto") || (name === "gemini" && hasSchema(body)),
};
const isMoot = (name: string, body: Json, mock: Mock): boolean =>
  !asksFor(name, body[name]) || moot[name]?.(body[name], body, mock) === true;

/** What became of a request that should not have; empty if all is well. */
async function faultsOf(asked: Asked): Promise<readonly unknown[]> {
  const { target, operation, fields, nested } = asked;
  const ask = asker(target, operation, { upstream, outbound });
  const body = bodyOf(asked, new Set());
  const came = await ask(body);
  const refusal = came.judged.find((one) => one.refusal);
  // Anthropic's API judges what its clients combine, and OpenAI's what is in no schema.
  const isOwnApi = operation === "messages" ? target.apis.includes("messages") : refusal?.api === operation;
  const isTheirs =
    isOwnApi && (operation === "messages" || /x_unknown/.test(JSON.stringify(refusal?.refusal)));
  if (refusal && !(isTheirs && came.error !== null)) return ["rejected", refusal.refusal?.body, refusal.body];
  if (came.error !== null) {
    const names = [...Object.keys(fields), ...Object.keys(nested?.request ?? {})];
    const isMedium = /support .*(image|audio|file|video).* input/.test(came.error);
    return isMedium || names.some((name) => came.error?.includes(name)) ? [] : ["no name", came.error];
  }
  const found: unknown[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (
      Object.hasOwn(nested?.request ?? {}, name) ||
      !Object.hasOwn(body, name) ||
      isMoot(name, body, target.mock)
    )
      continue;
    const without = await ask(bodyOf(asked, dependentsOf(asked, name)));
    const sample = tested[operation].samples[name];
    const sent = typeof sample === "object" ? { ...sample, value } : { value };
    const outcome = outcomeOf(name, sent, target.mock, came, without);
    if (faults.has(outcome)) found.push([outcome, name, came.judged.at(-1)?.body, came.headers]);
  }
  return found;
}

test("of random requests no field is lost, every refusal names one, and no provider rejects what it gets", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRequest, async (asked) => {
      expect(await faultsOf(asked)).toEqual([]);
    }),
    { numRuns: runs },
  );
});
