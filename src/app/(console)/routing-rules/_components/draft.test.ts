import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RoutingRule, RoutingRuleCreate, RoutingRuleUpdate, RuleScope } from "#contract/routing-rule.ts";
import { arbitraryOf } from "#test/console/arbitrary.ts";
import { changeOf, cleaned, createOf, draftOf, hasScope, modelsOf, newDraft } from "./draft.ts";
import { jsonOf, readRule } from "./rule-json.ts";

/** A rule as the server stores it: what it took once, with the ids it gave. */
const stored = fc
  .tuple(arbitraryOf(RoutingRule), arbitraryOf(RoutingRuleCreate))
  .map(([rule, created]): RoutingRule => {
    const { name, description, models, provider, enabled, auto_apply } = RoutingRuleCreate.parse(created);
    return {
      ...rule,
      name,
      description: description?.trim() || null,
      model: null,
      models: models ? [...new Set(models)] : null,
      provider: provider ?? null,
      enabled,
      auto_apply,
    };
  });

describe("a stored rule in the form", () => {
  test("is sent back as it was when nobody changes it", () => {
    fc.assert(
      fc.property(stored, (rule) => {
        const change = changeOf(draftOf(rule));
        expect(change).toEqual({
          name: rule.name,
          description: rule.description,
          model: null,
          models: rule.models,
          provider: cleaned(rule.provider ?? {}),
          enabled: rule.enabled,
          auto_apply: rule.auto_apply,
        });
      }),
    );
  });

  test("has the same effect as before: only empty fields are left out", () => {
    fc.assert(
      fc.property(stored, ({ provider }) => {
        const retained = cleaned(provider ?? {});
        for (const [name, value] of Object.entries(provider ?? {})) {
          const isNothing = value == null || value === "" || (Array.isArray(value) && value.length === 0);
          expect(Object.hasOwn(retained, name), name).toBe(!isNothing);
        }
        expect(cleaned(retained)).toEqual(retained);
      }),
    );
  });

  test("makes a change that the contract accepts", () => {
    fc.assert(
      fc.property(stored, (rule) => {
        const change = { id: rule.id, ...changeOf(draftOf(rule)) };
        expect(RoutingRuleUpdate.safeParse(change).error?.issues ?? []).toEqual([]);
      }),
    );
  });

  test("applies to the same models, whichever of the two fields names them", () => {
    fc.assert(
      fc.property(
        fc.option(fc.string({ minLength: 1 })),
        fc.option(fc.array(fc.string({ minLength: 1 }))),
        (model, models) => {
          expect(new Set(modelsOf({ model, models }))).toEqual(
            new Set([...(model ? [model] : []), ...(models ?? [])]),
          );
          expect(new Set(modelsOf({ model, models })).size).toBe(modelsOf({ model, models }).length);
        },
      ),
    );
  });
});

describe("a draft", () => {
  test("is unchanged by JSON and back", () => {
    fc.assert(
      fc.property(stored, (rule) => {
        const draft = { ...draftOf(rule), provider: cleaned(rule.provider ?? {}) };
        const placed = { ...draft, api_key_id: draft.scope === "api_key" ? draft.api_key_id : null };
        expect(readRule(jsonOf(draft))).toEqual({ draft: placed });
      }),
    );
  });

  test("that the contract accepts is created unchanged", () => {
    fc.assert(
      fc.property(stored, (rule) => {
        const body = createOf(draftOf(rule));
        expect(RoutingRuleCreate.safeParse(body).error?.issues ?? []).toEqual([]);
        expect(body.scope).toBe(rule.scope);
        expect(body.workspace_id).toBe(rule.workspace_id);
        expect(body.api_key_id).toBe(rule.scope === "api_key" ? rule.api_key_id : null);
      }),
    );
  });

  test.each([
    "",
    "{",
    "[]",
    "null",
    "3",
    '{"name":""}',
    '{"name":"x","colour":1}',
    '{"name":"x","provider":{"zdr":"yes"}}',
  ])("is not made from %s, and the problem is named", (text) => {
    const read = readRule(text);
    expect("problem" in read && read.problem).toBeTruthy();
  });

  const id = "018f0000-0000-7000-8000-0000000000bb";
  test.each(
    RuleScope.options.flatMap((scope) =>
      [null, id].flatMap((workspace_id) =>
        [null, id].map((api_key_id) => ({ scope, workspace_id, api_key_id })),
      ),
    ),
  )("of %o can be created only when it is known what it applies to", (place) => {
    const needs = { org: [], user: [], workspace: [place.workspace_id], api_key: [place.api_key_id] }[
      place.scope
    ];
    expect(hasScope({ ...newDraft, ...place })).toBe(needs.every((one) => one !== null));
  });
});
