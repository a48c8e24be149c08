import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { CompletionRequest } from "#contract/completions.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { dryRunFor, exclusionsOf, type Rule } from "#server/policy/index.ts";
import {
  arbitraryEndpoints,
  arbitraryRules,
  arbitraryWishes,
  models,
  routerOver,
  subject,
} from "#test/arbitrary-policies.ts";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import { completions } from "../operations/completions/operation.ts";
import { needsOf } from "./admit.ts";
import { costBound, makePlan, maxTokensFor, shortenings } from "./plan.ts";
import type { RequestEstimate } from "./request.ts";

const everyApi = ["completions", "chat"] as const;
const asked = models.map(({ id }) => id);
const today = isoTime(clock.nowMs()).slice(0, 10);

/** 1,500 worlds take seconds on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

test("a live request goes exactly where the dry run says, and is refused with the same reasons", () => {
  fc.assert(
    fc.property(
      arbitraryEndpoints,
      arbitraryRules(6),
      arbitraryWishes,
      fc.constantFrom("price", "latency", undefined),
      fc.option(fc.nat(5), { nil: undefined }),
      (endpoints, rules, preferences, sort, named) => {
        const preference: ProviderPreferences = { ...preferences, sort };
        const rule = named === undefined ? undefined : rules.filter(({ enabled }) => enabled)[named];
        const reached = rule && rule.ownerId !== "somebody else" ? { rule_id: rule.id } : {};
        const router = routerOver(endpoints, rules);
        const parts = { router, catalogue: catalogueOf(endpoints) };
        const dry = dryRunFor(parts, subject, {
          models: asked,
          preference_overrides: preference,
          ...reached,
        });
        const context = {
          subject,
          apis: everyApi,
          today,
          needs: needsOf(completions.estimate(CompletionRequest.parse({ prompt: "x" }))),
        };
        const live = (): unknown => {
          const request = { models: asked, provider: preference, ...reached };
          const { decisions } = makePlan(router, request, context, null);
          return decisions.map(({ requested, ranked, excluded }) => ({
            model: requested,
            endpoints: ranked.map(({ id }) => id),
            excluded: exclusionsOf(excluded),
          }));
        };
        const known = dry.results.filter(({ endpoints: to, excluded }) => to.length + excluded.length > 0);
        if (dry.summary.models_with_providers > 0) {
          expect(live()).toEqual(
            known.map(({ model: name, endpoints: to, excluded }) => ({
              model: name,
              endpoints: to,
              excluded,
            })),
          );
        } else {
          expect(live).toThrow(AppError);
          try {
            live();
          } catch (error) {
            const { metadata } = error as AppError;
            expect(metadata.excluded ?? []).toEqual(known.flatMap(({ excluded }) => excluded));
          }
        }
      },
    ),
    { numRuns: 1_500 },
  );
});

const small = model("m/small", { contextLength: 1_000, maxOutputTokens: 100 });
const cheap = provider("cheap");
const dear = provider("dear");
const endpoints = [
  endpoint(cheap, small, { price: price("1") }),
  endpoint(dear, small, {
    price: price("2"),
    contextLength: 100_000,
    maxOutputTokens: 50_000,
    supportedParameters: new Set(["temperature", "seed", "logit_bias"]),
  }),
  endpoint(provider("unsure"), small, {
    price: price("3"),
    contextLength: null,
    maxOutputTokens: null,
    supportedParameters: new Set(),
  }),
];

/** Where a completion would be tried, and the reasons against the others. */
function planned(body: object, rules: readonly Rule[] = []) {
  const request = CompletionRequest.parse({ model: "m/small", prompt: "Hello", ...body });
  const context = { subject, apis: everyApi, today, needs: needsOf(completions.estimate(request)) };
  const { candidates, decisions } = makePlan(routerOver(endpoints, rules), request, context, null);
  return {
    tried: candidates.map(({ endpoint: { provider: at } }) => at.slug),
    reasons: exclusionsOf(decisions[0]?.excluded ?? []),
  };
}

describe("what a request needs", () => {
  test("an endpoint whose answers are too short drops out, with the length that would do", () => {
    const { tried, reasons } = planned({ max_tokens: 101 });
    expect(tried).toEqual(["dear", "unsure"]);
    expect(reasons).toMatchObject([
      {
        provider: "cheap",
        field: "max_tokens",
        wanted: 101,
        actual: 100,
        would_admit: 100,
        excluded_by: "context_length",
      },
    ]);
  });

  test("a prompt that cannot fit the window drops the endpoint; an unknown window is tried", () => {
    const { tried, reasons } = planned({ prompt: "word ".repeat(2_000) });
    expect(tried).toEqual(["dear", "unsure"]);
    expect(reasons).toMatchObject([{ provider: "cheap", field: "context_length", actual: 1_000 }]);
    expect(reasons[0]).not.toHaveProperty("would_admit");
  });

  test("a request no endpoint has room for is the request's fault, with the room there is", () => {
    const only = { provider: { only: ["cheap"] } };
    const refused = (body: object) => {
      try {
        return planned({ ...body, ...only });
      } catch (error) {
        return error;
      }
    };
    expect(refused({ max_tokens: 101 })).toMatchObject({
      code: "BAD_REQUEST",
      param: "max_tokens",
      message: "max_tokens: 101 is more than the 100 tokens that are left for the answer",
      metadata: { error_type: "max_tokens_exceeded" },
    });
    expect(refused({ prompt: "word ".repeat(2_000) })).toMatchObject({
      code: "BAD_REQUEST",
      message: "The prompt is longer than the context window of 1000 tokens",
      metadata: { error_type: "context_length_exceeded" },
    });
  });

  test("token prompts are counted, each prompt of several for itself", () => {
    expect(planned({ prompt: Array.from({ length: 1_000 }, () => 1) }).tried).toEqual(["dear", "unsure"]);
    expect(
      planned({ prompt: Array.from({ length: 4 }, () => Array.from({ length: 900 }, () => 1)) }).tried,
    ).toHaveLength(3);
  });

  test("parameters are preferred where they are taken, but nothing drops out for them", () => {
    expect(planned({ logit_bias: { "5": 1 } }).tried).toEqual(["dear", "unsure", "cheap"]);
    expect(planned({ seed: 1 }).tried).toEqual(["cheap", "dear", "unsure"]);
  });

  test("with `require_parameters` endpoints that lack one drop out, and those nobody knows about", () => {
    const { tried, reasons } = planned({ logit_bias: { "5": 1 }, provider: { require_parameters: true } });
    expect(tried).toEqual(["dear"]);
    expect(reasons).toMatchObject([
      {
        provider: "cheap",
        field: "require_parameters",
        wanted: ["logit_bias"],
        actual: [],
        would_admit: false,
      },
      { provider: "unsure", field: "require_parameters", reason: "fact_unknown" },
    ]);
    expect(reasons[0]?.set_by).toEqual({ scope: "request" });
  });

  test("`require_parameters` is soft: the request's word wins over the rule's", () => {
    const rule: Rule = {
      id: "00000000-0000-7000-8000-000000000001",
      name: "Strict",
      scope: "org",
      ownerId: subject.orgId,
      workspaceId: null,
      orgId: subject.orgId,
      models: [],
      preferences: { require_parameters: true },
      enabled: true,
      autoApply: true,
      updatedAtMs: 0,
    };
    expect(planned({ logit_bias: { "5": 1 } }, [rule]).reasons[0]?.set_by).toMatchObject({
      rule_name: "Strict",
    });
    const own = { logit_bias: { "5": 1 }, provider: { require_parameters: false } };
    expect(planned(own, [rule]).tried).toHaveLength(3);
  });
});

describe("the length of an answer", () => {
  const lengths = fc
    .record({
      maxTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
      openTokens: fc.constantFrom(4_096, 32_768),
      promptTokensMin: fc.nat(100_000),
      promptTokensMax: fc.nat(400_000),
      answers: fc.integer({ min: 1, max: 8 }),
    })
    .map((length) => ({ ...length, promptTokensEach: length.promptTokensMax }));
  const windows = fc.record({
    contextLength: fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: null }),
    maxOutputTokens: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: null }),
  });
  const estimateOf = (length: object): RequestEstimate => ({
    ...completions.estimate(CompletionRequest.parse({ prompt: "x" })),
    ...length,
  });

  test("never goes beyond what the client, the endpoint and what is held allow", () => {
    fc.assert(
      fc.property(lengths, windows, (length, window) => {
        const estimate = estimateOf(length);
        const tokens = maxTokensFor(estimate, window);
        const most = estimate.maxTokens ?? estimate.openTokens ?? 0;
        expect(tokens).toBeGreaterThanOrEqual(1);
        expect(tokens).toBeLessThanOrEqual(Math.min(most, window.maxOutputTokens ?? most));
        if (estimate.maxTokens !== null || window.contextLength === null) return;
        // More than the least only in half the room that the prompt leaves, for it may have more tokens than it seems.
        const prompt = Math.max(estimate.promptTokensMin, Math.ceil(estimate.promptTokensMax / 3));
        const room = Math.max(1, window.contextLength - prompt);
        expect(tokens).toBeLessThanOrEqual(Math.min(room, Math.max(4_096, room / 2)));
      }),
    );
  });

  test("of several prompts is what each leaves of a window, for each has one of its own", () => {
    const one = "x".repeat(1_500);
    const window = { contextLength: 8_192, maxOutputTokens: null };
    const lengthFor = (prompt: string | string[]) =>
      maxTokensFor(completions.estimate(CompletionRequest.parse({ prompt })), window);
    expect(lengthFor(Array.from({ length: 20 }, () => one))).toBe(lengthFor(one));
    expect(lengthFor(one)).toBe(4_096);
  });

  test("goes down to 4,096 where it is left open, costing less each time, and stays what the client said", () => {
    const at = endpoint(dear, small, {
      price: price("1", "7"),
      contextLength: 131_072,
      maxOutputTokens: null,
    });
    const catalogue = catalogueOf([at]);
    const { candidates } = routerOver([at], []).route(
      { models: ["m/small"] },
      { subject, apis: everyApi, today },
    );
    fc.assert(
      fc.property(lengths, (length) => {
        const estimate = estimateOf(length);
        const estimates = shortenings(estimate);
        expect(estimates[0]).toBe(estimate);
        if (estimate.maxTokens !== null) {
          expect(estimates).toHaveLength(1);
          return;
        }
        expect(estimates.at(-1)?.openTokens).toBe(4_096);
        const bounds = estimates.map((shorter) => costBound({ candidates }, shorter, catalogue.exchangeRate));
        for (const [index, bound] of bounds.slice(1).entries())
          expect(bound <= (bounds[index] ?? 0n)).toBe(true);
      }),
    );
  });
});

describe("several models", () => {
  const two = [...endpoints, endpoint(cheap, model("m/other"), { price: price("1.5") })];
  const triedOf = (sort: object) => {
    const { candidates } = routerOver(two, []).route(
      { models: ["m/small", "no/such", "m/other"], provider: { sort } as ProviderPreferences },
      { subject, apis: everyApi, today },
    );
    return candidates.map(({ endpoint: { id }, modelIndex }) => [id, modelIndex]);
  };

  test("stay fallbacks of each other", () => {
    expect(triedOf({ by: "price" }).map(([id]) => id)).toEqual([
      "cheap:m/small",
      "dear:m/small",
      "unsure:m/small",
      "cheap:m/other",
    ]);
  });

  test("stand in one list with partition none", () => {
    expect(triedOf({ by: "price", partition: "none" })).toEqual([
      ["cheap:m/small", 0],
      ["cheap:m/other", 2],
      ["dear:m/small", 0],
      ["unsure:m/small", 0],
    ]);
  });
});
