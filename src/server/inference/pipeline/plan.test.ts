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
import { makePlan } from "./plan.ts";

const everyApi = ["completions", "chat"] as const;
const asked = models.map(({ id }) => id);
const today = isoTime(clock.nowMs()).slice(0, 10);

/** 1,500 generated cases take seconds on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

test("a live request goes exactly where the dry run predicts, and is refused for the same reasons", () => {
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
        const deps = { router, catalogue: catalogueOf(endpoints) };
        const dry = dryRunFor(deps, subject, {
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

/** The providers that a completion would try, and why the others are excluded. */
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
  test("an endpoint whose answers are too short is excluded, with the length that would be admitted", () => {
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

  test("an endpoint is excluded when the prompt cannot fit its window; an unknown window is tried", () => {
    const { tried, reasons } = planned({ prompt: "word ".repeat(2_000) });
    expect(tried).toEqual(["dear", "unsure"]);
    expect(reasons).toMatchObject([{ provider: "cheap", field: "context_length", actual: 1_000 }]);
    expect(reasons[0]).not.toHaveProperty("would_admit");
  });

  test("a request that no endpoint has room for is a 400 that names the room there is", () => {
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
      message: "max_tokens: 101 is more than the 100 tokens left for the answer",
      metadata: { error_type: "max_tokens_exceeded" },
    });
    expect(refused({ prompt: "word ".repeat(2_000) })).toMatchObject({
      code: "BAD_REQUEST",
      message: "The prompt is longer than the context window of 1000 tokens",
      metadata: { error_type: "context_length_exceeded" },
    });
  });

  test("token prompts are counted, and each of several prompts on its own", () => {
    expect(planned({ prompt: Array.from({ length: 1_000 }, () => 1) }).tried).toEqual(["dear", "unsure"]);
    expect(
      planned({ prompt: Array.from({ length: 4 }, () => Array.from({ length: 900 }, () => 1)) }).tried,
    ).toHaveLength(3);
  });

  test("endpoints that support the parameters are preferred, and no endpoint is excluded for them", () => {
    expect(planned({ logit_bias: { "5": 1 } }).tried).toEqual(["dear", "unsure", "cheap"]);
    expect(planned({ seed: 1 }).tried).toEqual(["cheap", "dear", "unsure"]);
  });

  test("a field without which the answer would be another one excludes the endpoints that do not support it", () => {
    const { tried, reasons } = planned({ stop: ["END"] });
    expect(tried).toEqual(["unsure"]);
    expect(reasons).toMatchObject(
      ["cheap", "dear"].map((slug) => ({
        provider: slug,
        field: "parameters",
        wanted: ["stop"],
        excluded_by: "unsupported_parameters",
      })),
    );
    expect(() => planned({ stop: ["END"], n: 2, provider: { only: ["cheap"] } })).toThrow(
      expect.objectContaining({
        code: "BAD_REQUEST",
        param: "stop",
        message: "stop, n: no provider that may serve this model supports them",
        metadata: expect.objectContaining({
          error_type: "unsupported_parameter",
          parameters: ["stop", "n"],
        }),
      }),
    );
  });

  test("with `require_parameters` endpoints that lack one, or whose parameters are unknown, are excluded", () => {
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

  test("`require_parameters` is soft: the request's value wins over the rule's", () => {
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

describe("several models", () => {
  const two = [...endpoints, endpoint(cheap, model("m/other"), { price: price("1.5") })];
  const triedOf = (sort: object) => {
    const { candidates } = routerOver(two, []).route(
      { models: ["m/small", "no/such", "m/other"], provider: { sort } as ProviderPreferences },
      { subject, apis: everyApi, today },
    );
    return candidates.map(({ endpoint: { id }, modelIndex }) => [id, modelIndex]);
  };

  test("are fallbacks of each other", () => {
    expect(triedOf({ by: "price" }).map(([id]) => id)).toEqual([
      "cheap:m/small",
      "dear:m/small",
      "unsure:m/small",
      "cheap:m/other",
    ]);
  });

  test("are ranked in one list with partition none", () => {
    expect(triedOf({ by: "price", partition: "none" })).toEqual([
      ["cheap:m/small", 0],
      ["cheap:m/other", 2],
      ["dear:m/small", 0],
      ["unsure:m/small", 0],
    ]);
  });
});
