import { describe, expect, test } from "vitest";
import { type ErrorCode, errorTable } from "#contract/errors.ts";
import { type FaultRow, promisedBytes } from "./fault-table.ts";
import { type StoredGeneration, startTestServer, type TestServer } from "./server.ts";

const maxTokens = 24;
/** No request here has more bytes than this, with all that a provider may put around it. */
const promptTokensBelow = 5_000;
const asks = { max_tokens: maxTokens, seed: 5 };
const messages = [{ role: "user", content: "Where to?" }];
const operations = {
  completions: { path: "/completions", type: "chat", body: { ...asks, prompt: "Where to?" } },
  chat: { path: "/chat/completions", type: "chat", body: { ...asks, messages } },
  responses: { path: "/responses", type: "chat", body: { input: "Where to?", max_output_tokens: maxTokens } },
  rerank: { path: "/rerank", type: "rerank", body: { query: "Seine", documents: ["Vienna", "Paris"] } },
  embeddings: { path: "/embeddings", type: "embedding", body: { input: ["Vienna", "Paris"] } },
} as const;
type OperationName = keyof typeof operations;
const names = Object.keys(operations) as OperationName[];
const upstreamModels = { chat: "chat", rerank: "rerank", embedding: "embed" } as const;
const streams = new Set<OperationName>(["completions", "chat", "responses"]);

interface Case extends FaultRow {
  readonly name: OperationName;
  readonly streamed: boolean;
  readonly way: string;
  readonly model: string;
  /** Whether there is another provider after the faulty one. */
  readonly helped: boolean;
}

/** Every endpoint with every kind of answer of a row. If the next provider is tried, also without a next one. */
const casesOf = (row: FaultRow): Case[] =>
  names.flatMap((name) =>
    [false, true]
      .filter((streamed) => (streamed ? streams.has(name) : true))
      .filter((streamed) => row.answer === "all" || streamed === (row.answer === "streamed"))
      .flatMap((streamed) =>
        (row.next ? [false, true] : [true]).map((helped) => {
          const way = streamed ? "streamed" : "complete";
          const model = `test/${name}-${way}-${row.fault.replace(":", "-")}-${helped ? "helped" : "alone"}`;
          return { ...row, name, streamed, way, model, helped };
        }),
      ),
  );
/** Whether a fault takes time until it is noticed. */
export const waits = ({ fault }: Pick<FaultRow, "fault">): boolean => /^(slow:|stall)/.test(fault);

const price = (figure: string) => ({
  currency: "EUR",
  input: figure,
  output: figure,
  per_1k_searches: figure,
});
interface Seen {
  readonly generation: string;
  readonly site: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly search_units: number;
}
/** An event with a piece of the answer. */
const pieces: Readonly<Record<OperationName, string | RegExp>> = {
  completions: /"text":"[^"]/g,
  chat: /"content":"[^"]/g,
  responses: /event: response\.output_text\.delta/g,
  rerank: "",
  embeddings: "",
};

/** What the sandbox says, and what we say where it does not. */
const retryAfters: Partial<Record<ErrorCode, string>> = {
  RATE_LIMIT_EXCEEDED: "1",
  SERVICE_UNAVAILABLE: "5",
};

const pricePico = { "sandbox-fr": 1_000_000n, "sandbox-de": 2_000_000n };

/** A model for each case, as an endpoint that failed is not tried for a while. */
const overlayOf = (cases: readonly Case[], timesFaster: number) => ({
  models: cases.map(({ model, name }) => ({
    id: model,
    type: operations[name].type,
    context_length: 131_072,
  })),
  endpoints: cases.flatMap(({ model, name, fault, helped }) => {
    const upstream = `sandbox/${upstreamModels[operations[name].type]}`;
    const sooner = fault.replace(/^(slow|stall):(\d+)$/, (_, kind, ms) => `${kind}:${ms / timesFaster}`);
    const faulty = `${upstream}!${sooner}`;
    return [
      { provider: "sandbox-fr", model, upstream_model: faulty, price: price("1") },
      ...(helped ? [{ provider: "sandbox-de", model, upstream_model: upstream, price: price("2") }] : []),
    ];
  }),
});

interface Answer {
  readonly response: Response;
  readonly text: string;
}

async function ask(server: TestServer, { name, model, streamed }: Case): Promise<Answer> {
  const { path, body } = operations[name];
  const stream = streamed ? { stream: true } : {};
  const response = await server.post(path, { model, ...body, ...stream, provider: { sort: "price" } });
  return { response, text: await response.text() };
}

/** Cases that wait are asked together, the others a few at a time, so that none waits for another. */
async function askAll(server: TestServer, cases: readonly Case[]): Promise<Map<Case, Answer>> {
  const answers = new Map<Case, Answer>();
  const rest = cases.filter((each) => !waits(each)).values();
  const answer = async (each: Case) => answers.set(each, await ask(server, each));
  const askers = Array.from({ length: 8 }, async () => {
    for (const each of rest) await answer(each);
  });
  await Promise.all([...cases.filter(waits).map(answer), ...askers]);
  return answers;
}

/** What the sandbox recorded of each generation at each of its providers. */
async function seenBySandbox(server: TestServer): Promise<Map<string, Seen>> {
  const address = server.services.catalogues.of(null).providers.get("sandbox-fr")?.baseUrl ?? "";
  const { data } = (await (await fetch(`${new URL(address).origin}/__sandbox/requests`)).json()) as {
    data: Seen[];
  };
  return new Map(data.map((each) => [`${each.generation} sandbox-${each.site}`, each]));
}

/** How a case has to end: whether another provider saved it, and whether the answer is complete. */
function endOf({ next, helped, code }: Case) {
  const saved = next && helped;
  return { saved, complete: saved || code === null, provider: saved ? "sandbox-de" : "sandbox-fr" } as const;
}

function expectAnswer(each: Case, { response, text }: Answer): void {
  const { code, begun, streamed, name } = each;
  const { complete } = endOf(each);
  expect(text).not.toContain("Sandbox fault");
  expect(response.status).toBe(complete || begun || code === null ? 200 : errorTable[code].status);
  const bytes = complete ? "completed" : begun ? "failed" : "error";
  if (bytes === "error") expect(text).toMatch(promisedBytes("error", each));
  else if (streamed) expect(text).toMatch(promisedBytes(`${name} ${bytes}`, each));
  else expect(JSON.parse(text)).not.toHaveProperty("error.message");
  expect(text.split('"error":{').length - 1).toBe(complete ? 0 : 1);
  const retryAfter = complete || begun || code === null ? null : (retryAfters[code] ?? null);
  expect(response.headers.get("retry-after")).toBe(retryAfter);
}

function expectRecord(each: Case, { response }: Answer, row: StoredGeneration): void {
  const { code, faultCode, begun, streamed, providerStatus } = each;
  const { complete, provider } = endOf(each);
  expect(row).toMatchObject({
    provider,
    status: complete ? "completed" : "failed",
    error_code: complete ? null : code,
    http_status: response.status,
    streamed,
  });
  const failed = begun || code === null ? [] : [["sandbox-fr", faultCode, providerStatus]];
  const served = complete || begun ? [[provider, "ok", 200]] : [];
  expect(row.attempts.map(({ provider: slug, outcome, status }) => [slug, outcome, status])).toEqual([
    ...failed,
    ...served,
  ]);
}

function expectUsage(each: Case, { text }: Answer, row: StoredGeneration, truth: Seen | undefined): void {
  const { saved, provider } = endOf(each);
  const { prompt_tokens, completion_tokens, search_units } = row;
  const perToken = pricePico[provider];
  const tokens = BigInt(prompt_tokens + completion_tokens);
  expect(row.cost_pico_eur).toBe(tokens * perToken + BigInt(search_units) * perToken * 1000n);
  const reported = saved ? "as reported" : each.billed;
  expect(row.usage_estimated).toBe(["as counted", "received part", "as counted, flagged"].includes(reported));
  expect(row.usage_implausible).toBe(["the maximum", "as counted, flagged"].includes(reported));
  if (reported === "the maximum") {
    expect(completion_tokens).toBeLessThanOrEqual(maxTokens);
    expect(prompt_tokens).toBeLessThan(promptTokensBelow);
    expect(search_units).toBeLessThanOrEqual(1);
  }
  if (reported === "nothing") expect(row.cost_pico_eur).toBe(0n);
  else expect(row.cost_pico_eur).toBeGreaterThan(0n);
  if (reported === "as reported" && each.name === "rerank") expect(search_units).toBe(truth?.search_units);
  else if (reported === "as reported") {
    expect({ prompt_tokens, completion_tokens }).toEqual({
      prompt_tokens: truth?.prompt_tokens,
      completion_tokens: truth?.completion_tokens,
    });
  }
  // The sandbox sends one token an event.
  if (reported === "received part") expect(completion_tokens).toBe(text.match(pieces[each.name])?.length);
}

/**
 * Asks for every row in every way and declares a test for each. Where limits are `timesFaster`, the waits of the
 * sandbox are too.
 */
export async function walkFaults(rows: readonly FaultRow[], timesFaster = 1): Promise<void> {
  const cases = rows.flatMap(casesOf);
  const server = await startTestServer({ overlay: overlayOf(cases, timesFaster) });
  const answers = await askAll(server, cases);
  const seen = await seenBySandbox(server);

  describe.each(names)("/%s", (operation) => {
    test.each(cases.filter(({ name }) => name === operation))(
      "$fault, $way, with another provider: $helped",
      async (each) => {
        const answer = answers.get(each) ?? (await ask(server, each));
        const row = await server.record(answer.response.headers.get("x-generation-id"));
        expectAnswer(each, answer);
        expectRecord(each, answer, row);
        expectUsage(each, answer, row, seen.get(`${row.id} ${row.provider}`));
      },
    );
  });
}
