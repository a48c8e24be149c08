import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CompletionRequest } from "#contract/completions.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { ResponseRequest } from "#contract/responses.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { createSessions } from "#server/policy/index.ts";
import { routerOver } from "#test/arbitrary-policies.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { keyCaller } from "#test/inference.ts";
import { completions } from "../operations/completions/operation.ts";
import { rerank } from "../operations/rerank/operation.ts";
import { responsesWith } from "../operations/responses/operation.ts";
import { ownItems, type PreparedResponse } from "../wires/openai-responses/prepared-response.ts";
import { planFor } from "./admit.ts";
import type { Chunk, Operation } from "./operation.ts";
import type { InferenceRequest } from "./request.ts";
import { tokenLimitFor } from "./token-limits.ts";

const chatting = model("m/x");
const chatOnly = endpoint(provider("chats"), chatting, { apis: new Set(["chat"]) });
const native = endpoint(provider("native"), chatting, {
  supportedParameters: new Set(["temperature", "logprobs"]),
  apis: new Set(["responses", "completions", "chat"]),
});
const responses = responsesWith(() => {});

const response = (body: object): PreparedResponse => {
  const request = ResponseRequest.parse({ model: "m/x", input: "x", ...body });
  return { ...request, items: ownItems(request), store: false };
};
const completion = (body: object) => CompletionRequest.parse({ model: "m/x", prompt: "x", ...body });

/** The providers that a request would try, or its refusal. */
function planned<Request extends InferenceRequest, C extends Chunk, Complete>(
  endpoints: readonly Endpoint[],
  operation: Operation<Request, C, Complete>,
  request: Request,
) {
  const router = routerOver(endpoints, []);
  const deps = { router: () => router, sessions: createSessions(clock.monotonicMs) };
  try {
    const { plan } = planFor(deps, keyCaller, operation, request);
    return plan.candidates.map(({ endpoint: { provider: at } }) => at.slug);
  } catch (error) {
    return error;
  }
}

const hosted = { input: [{ type: "computer_call", call_id: "c", action: { type: "screenshot" } }] };

describe("a request that chat cannot express", () => {
  test("is a 400 that names the field and what to send instead, where the model is reached by chat only", () => {
    expect(planned([chatOnly], responses, response(hosted))).toMatchObject({
      code: "BAD_REQUEST",
      param: "input",
      message: expect.stringMatching(/^input: .* chat only; send messages/),
    });
  });

  test.each([
    ["tokens", [1, 2], "send text, not tokens"],
    ["several prompts of tokens", [[1], [2]], "send text, not tokens"],
    ["too many prompts", Array.from({ length: 21 }, () => "a"), "send at most 20 prompts"],
  ])("is a 400 for a prompt of %s", (_, prompt, repair) => {
    expect(planned([chatOnly], completions, completion({ prompt }))).toMatchObject({
      code: "BAD_REQUEST",
      param: "prompt",
      message: expect.stringContaining(repair),
    });
  });

  test.each([
    ["suffix", { suffix: " end" }],
    ["echo", { echo: true }],
    ["best_of", { best_of: 2 }],
    ["logprobs", { logprobs: 0 }],
  ])("is a 400 for a completion with %s", (param, field) => {
    expect(planned([chatOnly], completions, completion({ prompt: "a", ...field }))).toMatchObject({
      code: "BAD_REQUEST",
      param,
      message: `${param}: the providers that may serve this are reached by chat only; leave it out`,
    });
    expect(planned([chatOnly, native], completions, completion({ prompt: "a", ...field }))).toEqual([
      "native",
    ]);
  });

  test("goes to providers that have the operation itself", () => {
    expect(planned([chatOnly, native], responses, response(hosted))).toEqual(["native"]);
    expect(planned([chatOnly, native], completions, completion({ prompt: [1, 2] }))).toEqual(["native"]);
  });

  test.each([[["a"]], [["a", "b"]]])("does not include the list of texts %o", (prompt) => {
    expect(planned([chatOnly], completions, completion({ prompt }))).toEqual(["chats"]);
  });

  test("stays a 503 where changing the request would not help", () => {
    const elsewhere = { provider: { only: ["nobody"] } };
    expect(planned([chatOnly], responses, response({ ...hosted, ...elsewhere }))).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
  });

  test("names the tools that a provider would have to run", () => {
    expect(planned([chatOnly], responses, response({ tools: [{ type: "web_search" }] }))).toMatchObject({
      code: "BAD_REQUEST",
      param: "tools",
    });
  });
});

describe("the code when no provider may serve a request", () => {
  const availability = (code: string) => ({
    code: "SERVICE_UNAVAILABLE",
    metadata: { availability: { code, retryable: false } },
  });
  const ranking = RerankRequest.parse({ model: "m/x", query: "x", documents: ["a"] });

  test("is `wrong_endpoint` where the model has no endpoint for the operation", () => {
    expect(planned([chatOnly, native], rerank, ranking)).toMatchObject(availability("wrong_endpoint"));
    const elsewhere = { ...ranking, provider: { only: ["nobody"] } };
    expect(planned([chatOnly], rerank, elsewhere)).toMatchObject(availability("wrong_endpoint"));
  });

  test("is `constraint_filtered` where an endpoint would serve another request", () => {
    const elsewhere = { provider: { only: ["nobody"] } };
    expect(planned([native], responses, response(elsewhere))).toMatchObject(
      availability("constraint_filtered"),
    );
  });
});

describe("the length of an answer without a limit, as far as the credit allows", () => {
  const within = (contextLength: number, prompt: CompletionRequest["prompt"]) => {
    const estimate = { ...completions.estimate(completion({ prompt })), openTokens: 4_096 };
    return tokenLimitFor(estimate, { endpoint: { ...native, contextLength } });
  };

  test("is what the prompt leaves of the window, by an upper estimate of its tokens and not by its bytes", () => {
    const text = "word ".repeat(4_000);
    expect(within(16_384, text)).toBe(4_096);
    expect(within(8_192, text)).toBeGreaterThan(1_000);
    expect(within(8_192, text)).toBeLessThan(8_192 - 4_000);
    expect(within(4_096, text)).toBe(1);
  });

  test("is exact for a prompt of tokens", () => {
    expect(
      within(
        1_000,
        Array.from({ length: 900 }, () => 1),
      ),
    ).toBe(100);
  });
});

describe("a session", () => {
  const sessionOf = (body: object, { orgId } = keyCaller) =>
    planFor(
      { router: () => routerOver([native], []), sessions: createSessions(clock.monotonicMs) },
      { ...keyCaller, orgId },
      responses,
      response(body),
    ).session;

  test("is named by `session_id`, otherwise by `prompt_cache_key`", () => {
    const named = sessionOf({ session_id: "one" });
    expect(named).not.toBeNull();
    expect(sessionOf({ session_id: "one", prompt_cache_key: "two" })).toBe(named);
    expect(sessionOf({ prompt_cache_key: "one" })).toBe(named);
    expect(sessionOf({ session_id: "", prompt_cache_key: "one" })).toBe(named);
    expect(sessionOf({ prompt_cache_key: "two" })).not.toBe(named);
    expect(sessionOf({})).toBeNull();
  });

  test("of one organisation is not a session of another", () => {
    const [own, theirs] = ["a", "b"].map((orgId) =>
      sessionOf({ prompt_cache_key: "one" }, { ...keyCaller, orgId }),
    );
    expect(own).not.toBe(theirs);
  });
});

test("a request is routed by the facts of the day that its record names, also at midnight", () => {
  let days = 0;
  const spy = vi.spyOn(clock, "nowMs").mockImplementation(() => Date.UTC(2026, 10, 1 + days++));
  onTestFinished(() => spy.mockRestore());
  const router = routerOver([native], []);
  const seen: string[] = [];
  const looking: typeof router = {
    ...router,
    route(ask, context) {
      seen.push(context.today);
      return router.route(ask, context);
    },
  };
  const deps = { router: () => looking, sessions: createSessions(clock.monotonicMs) };
  const { nowMs } = planFor(deps, keyCaller, completions, completion({}));
  expect(seen).toEqual([isoDay(nowMs)]);
});
