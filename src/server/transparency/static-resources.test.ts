import fc from "fast-check";
import { expect, test } from "vitest";
import { readResourcePath } from "./static-resources.ts";

/** The path of a number by the specification's words: groups of three digits, all but the last with an x. */
const encoded = (number: number): string => {
  const last = String(number % 1000).padStart(3, "0");
  let rest = Math.floor(number / 1000);
  let path = last;
  for (; rest > 0; rest = Math.floor(rest / 1000)) path = `x${String(rest % 1000).padStart(3, "0")}/${path}`;
  return path;
};

test("the path of every tile and bundle is read, and only in its one spelling", () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat(),
      fc.option(fc.nat({ max: 63 })),
      fc.option(fc.integer({ min: 1, max: 255 })),
      (number, level, width) => {
        const position = number % 10 ** 15;
        const suffix = width === null ? "" : `.p/${width}`;
        const path = `tile/${level ?? "entries"}/${encoded(position)}${suffix}`;
        expect(readResourcePath(path)).toEqual({ level, position, width: width ?? 256 });
        expect(readResourcePath(path.replace(/\/(x?\d{3}(?:\/|$|\.))/, "/x000/$1"))).toBeNull();
        expect(readResourcePath(`${path}/`)).toBeNull();
      },
    ),
  );
});

test("the example of the specification is read", () => {
  expect(readResourcePath("tile/0/x001/x234/067")).toEqual({ level: 0, position: 1_234_067, width: 256 });
});
