import { expect, test } from "vitest";
import { countries } from "#contract/places.ts";
import world from "./world.json";
import { type MapPlace, marksOf } from "./world-map.tsx";

const places: Readonly<Record<string, readonly number[]>> = world.places;

test("every place and shape is that of a country, and on the map", () => {
  const known = new Set(countries());
  const [left = 0, top = 0, width = 0, height = 0] = world.world;
  // Kosovo has a code of its own that ISO has not assigned.
  expect(Object.keys({ ...places, ...world.shapes }).filter((code) => !known.has(code))).toEqual([]);
  for (const [x = -1, y = -1] of Object.values(places)) {
    expect(x).toBeGreaterThanOrEqual(left);
    expect(x).toBeLessThanOrEqual(left + width);
    expect(y).toBeGreaterThanOrEqual(top);
    expect(y).toBeLessThanOrEqual(top + height);
  }
});

test("the countries of the EU and those of large providers have a place", () => {
  const wanted =
    "AT BE BG HR CY CZ DE DK EE ES FI FR GR HU IE IT LT LU LV MT NL PL PT RO SE SI SK CH GB NO US CA JP SG IN AU BR CN KR IL";
  expect(wanted.split(" ").filter((code) => !places[code])).toEqual([]);
});

test("north is up and Europe is west of Asia", () => {
  const at = (code: string) => ({ x: places[code]?.[0] ?? 0, y: places[code]?.[1] ?? 0 });
  expect(at("FI").y).toBeLessThan(at("ES").y);
  expect(at("US").x).toBeLessThan(at("FR").x);
  expect(at("FR").x).toBeLessThan(at("JP").x);
});

const placeIn = (country: string): MapPlace => ({
  ...{ country, isServed: true, share: 0.25, text: country, href: "/logs" },
});

test("countries elsewhere stay off a part of the map, however many there are", () => {
  const marks = marksOf(["FR", "JP", "KR", "CN", "US", "CA"].map(placeIn), "europe");
  const [left = 0, , width = 0] = world.europe;
  const shown = marks.filter(({ circle: { x } }) => x > left && x < left + width);
  expect([marks.length, shown.map(({ place }) => place.country)]).toEqual([6, ["FR"]]);
});

test("circles of neighbours do not cover each other", () => {
  const marks = marksOf(["FR", "DE", "FI", "BE", "NL", "LU"].map(placeIn), "world");
  for (const [at, { circle: one }] of marks.entries())
    for (const { circle: other } of marks.slice(at + 1))
      expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(one.radius + other.radius);
});
