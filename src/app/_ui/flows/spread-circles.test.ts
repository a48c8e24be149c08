import fc from "fast-check";
import { expect, test } from "vitest";
import { spreadCircles } from "./spread-circles.ts";

const box = { x: 100, y: 50, width: 1000, height: 420 };
const circle = fc.record({
  x: fc.double({ min: 160, max: 1040, noNaN: true }),
  y: fc.double({ min: 110, max: 410, noNaN: true }),
  radius: fc.double({ min: 21, max: 51, noNaN: true }),
});

test("no circle covers another or leaves the map, wherever they begin", () => {
  fc.assert(
    fc.property(fc.array(circle, { maxLength: 12 }), (circles) => {
      const spread = spreadCircles(circles, box);
      expect(spread.map(({ radius }) => radius)).toEqual(circles.map(({ radius }) => radius));
      for (const [at, one] of spread.entries()) {
        expect(one.x - one.radius).toBeGreaterThanOrEqual(box.x - 1e-6);
        expect(one.y - one.radius).toBeGreaterThanOrEqual(box.y - 1e-6);
        expect(one.x + one.radius).toBeLessThanOrEqual(box.x + box.width + 1e-6);
        expect(one.y + one.radius).toBeLessThanOrEqual(box.y + box.height + 1e-6);
        for (const other of spread.slice(at + 1))
          expect(Math.hypot(other.x - one.x, other.y - one.y)).toBeGreaterThan(one.radius + other.radius);
      }
    }),
    { numRuns: 500 },
  );
});

test("circles that cover no other one stay on their countries", () => {
  const apart = [
    { x: 200, y: 200, radius: 40 },
    { x: 400, y: 200, radius: 30 },
  ];
  expect(spreadCircles(apart, box)).toEqual(apart);
});
