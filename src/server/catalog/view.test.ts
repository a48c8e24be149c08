import fc from "fast-check";
import { expect, test } from "vitest";
import { catalogueOf, endpoint, model, price, provider } from "#test/catalogues.ts";
import { endpointView, type View } from "./view.ts";

const large = model("m/large");
const offers = fc.uniqueArray(
  fc.record({
    slug: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    amount: fc.constantFrom("0.1", "1", "5"),
  }),
  { selector: ({ slug }) => slug, minLength: 1 },
);

test("the endpoints of a model that can be used come first, and of those the cheapest", () => {
  fc.assert(
    fc.property(offers, fc.subarray(["a", "b", "c", "d", "e", "f"]), (all, usable) => {
      const endpoints = all.map(({ slug, amount }) =>
        endpoint(provider(slug, { auth: "bearer" }), large, { price: price(amount) }),
      );
      const view: View = {
        catalogue: catalogueOf(endpoints),
        credentials: { own: new Set(usable), installation: new Set<string>() },
        today: "2026-11-20",
      };
      const shown = endpointView("m/large", view)?.endpoints ?? [];
      expect(shown).toHaveLength(all.length);
      const places = shown.map(({ unusable, price: own }) => [
        Number(unusable !== null),
        Number(own?.eur.prompt ?? 0),
      ]);
      expect(places).toEqual(places.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    }),
  );
});
