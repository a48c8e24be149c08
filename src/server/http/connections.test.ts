import fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "#server/platform/limits.ts";
import { connectionsMax, descriptorsMax } from "./connections.ts";

const { max, min, descriptorsReserved } = limits.http.connections;

test.each([
  ["Debian's usual limit", 1_024, 384],
  ["20,000", 20_000, 9_872],
  ["a container's million", 1_048_576, max],
  ["no limit", Number.POSITIVE_INFINITY, max],
  ["next to none", 100, min],
])("with %s of descriptors, the connection limit leaves half of them", (_, descriptors, expected) => {
  expect(connectionsMax(descriptors)).toBe(expected);
});

test("every client connection leaves room for one to a provider, besides other descriptors", () => {
  const enough = fc.integer({ min: descriptorsReserved + 2 * min, max: 2_000_000 });
  fc.assert(
    fc.property(enough, (descriptors) => {
      const connections = connectionsMax(descriptors);
      expect(Number.isInteger(connections)).toBe(true);
      expect(connections * 2 + descriptorsReserved).toBeLessThanOrEqual(descriptors);
    }),
  );
});

test("the limit of this process is known on systems that report it", () => {
  expect(descriptorsMax()).toBeGreaterThan(min);
});
