import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LimitReset } from "#contract/key.ts";
import {
  expiryBody,
  expiryChoices,
  limitBody,
  limitDraftOf,
  noLimit,
  resetChoices,
  textIn,
} from "./key-limits.ts";
import { amountText, exactAmountText, limitText } from "./limit-text.ts";

const reset = fc.option(fc.constantFrom(...LimitReset.options), { nil: null });
/** As the contract has them: six fraction digits at most. */
const amount = fc.integer({ min: 0, max: 10 ** 12 }).map((micro) => micro / 1e6);

describe("a limit in a form", () => {
  test("a stored limit is unchanged by the form; without a limit there is no reset", () => {
    fc.assert(
      fc.property(fc.option(amount, { nil: null }), reset, (limit, limit_reset) => {
        expect(limitBody(limitDraftOf({ limit, limit_reset }))).toEqual({
          limit,
          limit_reset: limit === null ? null : limit_reset,
        });
      }),
    );
  });

  test.each(["", " ", "\t"])("an empty field (%j) is no limit, not a limit of zero", (limit) => {
    expect(limitBody({ limit, limit_reset: "daily" })).toEqual({ limit: null, limit_reset: null });
  });

  test("a limit of zero is a limit", () => {
    expect(limitBody({ ...noLimit, limit: "0" }).limit).toBe(0);
  });

  test("a text that is not a number is sent as NaN, which the contract refuses", () => {
    expect(limitBody({ ...noLimit, limit: "1,5" }).limit).toBeNaN();
  });

  test("every period of the contract can be chosen, and never", () => {
    expect(resetChoices.map(({ value }) => value).toSorted()).toEqual(["", ...LimitReset.options].toSorted());
  });
});

describe("the expiry of a key", () => {
  test.each(expiryChoices.filter(({ value }) => value !== ""))(
    "$label is so many days from now",
    ({ value }) => {
      const ends = Date.parse(expiryBody(value) ?? "");
      expect(Math.abs(ends - (Date.now() + Number(value) * 86_400_000))).toBeLessThan(60_000);
    },
  );

  test("a chosen time is unchanged; an empty field never expires", () => {
    expect(expiryBody("2027-01-31T00:00:00.000Z")).toBe("2027-01-31T00:00:00.000Z");
    expect(expiryBody("")).toBeNull();
  });
});

describe("a limit in words", () => {
  test("amounts are exact, and never in exponent form", () => {
    fc.assert(
      fc.property(amount, (euros) => {
        expect(exactAmountText(euros)).toMatch(/^€[\d,]+\.\d{2,6}$/);
        expect(Number(exactAmountText(euros).replace(/[€,]/g, ""))).toBe(euros);
        expect(amountText(euros)).toMatch(/^€[\d,]+\.\d+$/);
      }),
    );
  });

  test("each period has a text of its own, and so has none", () => {
    const texts = [null, ...LimitReset.options].map((limit_reset) => limitText({ limit: 5, limit_reset }));
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toContain("€5.00");
  });

  test("without a limit there is no amount", () => {
    expect(limitText({ limit: null, limit_reset: null })).not.toMatch(/€|\d/);
  });
});

test("a field of a form is read without the spaces around it; one that is missing is empty", () => {
  const fields = new FormData();
  fields.set("name", "  Nordwind  ");
  expect(textIn(fields, "name")).toBe("Nordwind");
  expect(textIn(fields, "other")).toBe("");
});
