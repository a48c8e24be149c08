import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeOtlp } from "#test/destinations/otlp.ts";
import { sampleTrace } from "#test/destinations/sample.ts";
import { otlpBody } from "./otlp.ts";

const values = fc.oneof(
  fc.integer(),
  fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER, 1e19, 1e21, -1e21, 0.5),
  fc.boolean(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom('"intValue":5', '{"intValue":5}', '\\"intValue\\":5', "\\"),
);

test("an attribute survives OTLP's JSON unchanged, with 64-bit integers as text", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), values), (attributes) => {
      const given = Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [`test.${name}`, value]),
      );
      const { contentType, body } = otlpBody([sampleTrace()], "http/json", { attributes: () => given });
      const [span] = decodeOtlp(contentType, body);
      expect(span?.attributes).toMatchObject(given);
      expect(body.toString()).not.toMatch(/"intValue":-?\d/);
    }),
  );
});
