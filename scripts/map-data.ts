// Writes the shapes of countries for the map of the console, from Natural Earth (public domain) by world-atlas.
import { readFileSync, writeFileSync } from "node:fs";
import type { Feature, MultiPolygon, Polygon, Position } from "geojson";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";

/** Positions are longitude and latitude. */
type Ring = readonly Position[];
type Point = readonly [x: number, y: number];

/** The map ends here: nobody runs models in Antarctica. */
const south = -56;
/** Europe is in the middle, where the projection distorts least. */
const meridian = 11;
const width = 9_600;

/** Equal Earth (Šavrič, Patterson and Jenny, 2018), in units of the sphere's radius; y grows to the south. */
function project([longitude = 0, latitude = 0]: Position): Point {
  const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
  const turned = ((longitude - meridian + 540) % 360) - 180;
  const t = Math.asin((Math.sqrt(3) / 2) * Math.sin((latitude * Math.PI) / 180));
  const t2 = t * t;
  const t6 = t2 * t2 * t2;
  const slope = 9 * a4 * t6 * t2 + 7 * a3 * t6 + 3 * a2 * t2 + a1;
  const x = (2 * Math.sqrt(3) * ((turned * Math.PI) / 180) * Math.cos(t)) / (3 * slope);
  return [x, -t * (a4 * t6 * t2 + a3 * t6 + a2 * t2 + a1)];
}

const [east, north] = [-project([meridian - 179.99, 0])[0], -project([meridian, 84])[1]];
const scale = width / (2 * east);
const place = (position: Position): Point => {
  const [x, y] = project(position);
  return [Math.round((x + east) * scale), Math.round((y + north) * scale)];
};

type Country = Feature<Polygon | MultiPolygon>;

/** The countries of a file of world-atlas, whose geometries are polygons. */
function countriesOf(file: string): readonly Country[] {
  const topology: Topology<{ countries: GeometryCollection }> = JSON.parse(
    readFileSync(new URL(file, import.meta.resolve("world-atlas/package.json")), "utf8"),
  );
  return feature(topology, topology.objects.countries).features as Country[];
}

/** The outer rings of a country. */
function ringsOf({ geometry }: Country): readonly Ring[] {
  const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  return polygons.flatMap(([outer]) => (outer ? [outer] : []));
}

/** A ring that crosses the edge of the map would be a line across it. */
const crosses = (ring: Ring): boolean => {
  const xs = ring.map((position) => place(position)[0]);
  return Math.max(...xs) - Math.min(...xs) > width / 2;
};

const isOnMap = (ring: Ring): boolean => ring.some(([, latitude = 0]) => latitude > south) && !crosses(ring);

/** Units between two points of a shape outside Europe, which is only seen small. */
const coarse = 15;

/** A ring as steps from point to point, which are short numbers. */
function pathOf(ring: Ring, between: number): string {
  let last: Point | null = null;
  const points = ring.map(place).filter((point) => {
    const isFar = last === null || Math.hypot(point[0] - last[0], point[1] - last[1]) >= between;
    if (isFar) last = point;
    return isFar;
  });
  const [first, ...rest] = points;
  if (!first || rest.length < 2) return "";
  let [x, y] = first;
  const steps = rest.map(([nextX, nextY]) => {
    const step = `${nextX - x},${nextY - y}`;
    [x, y] = [nextX, nextY];
    return step;
  });
  return `M${first.join(",")}l${steps.join(" ")}z`;
}

const [left, top] = place([-13, 71]);
const [right, bottom] = place([35, 35]);
const isInEurope = ([x, y]: Point): boolean => x > left && x < right && y > top && y < bottom;
const detailOf = (ring: Ring): number => (ring.map(place).some(isInEurope) ? 1 : coarse);

const areaOf = (ring: readonly Point[]): number =>
  ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length] ?? [0, 0];
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);

/** The middle of the largest part of a country. */
function middleOf(rings: readonly Ring[]): Point {
  const [largest = []] = rings
    .map((ring) => ring.map(place))
    .toSorted((a, b) => Math.abs(areaOf(b)) - Math.abs(areaOf(a)));
  const area = areaOf(largest);
  // An island of less than a unit.
  if (area === 0) return largest[0] ?? [0, 0];
  let [sumX, sumY] = [0, 0];
  for (const [at, [x, y]] of largest.entries()) {
    const [nextX, nextY] = largest[(at + 1) % largest.length] ?? [0, 0];
    sumX += (x + nextX) * (x * nextY - nextX * y);
    sumY += (y + nextY) * (x * nextY - nextX * y);
  }
  return [Math.round(sumX / (6 * area)), Math.round(sumY / (6 * area))];
}

/** ISO 3166-1: `250` is `FR`. Null for places without a code. */
const codeOf = (id: Country["id"]): string | null => {
  if (id === undefined) return null;
  const { region } = new Intl.Locale(`und-${String(id).padStart(3, "0")}`);
  return region && /^[A-Z]{2}$/.test(region) ? region : null;
};

const shapes: Record<string, string> = {};
/** Places without a code are drawn, and are no country. */
let others = "";
for (const one of countriesOf("countries-110m.json")) {
  const rings = ringsOf(one).filter(isOnMap);
  const path = rings.map((ring) => pathOf(ring, detailOf(ring))).join("");
  const code = codeOf(one.id);
  if (code === null) others += path;
  else if (path !== "") shapes[code] = (shapes[code] ?? "") + path;
}

const places: Record<string, Point> = {};
for (const one of countriesOf("countries-50m.json")) {
  const code = codeOf(one.id);
  const rings = ringsOf(one).filter(isOnMap);
  if (code !== null && rings.length > 0) places[code] = middleOf(rings);
}

const sorted = <Value>(values: Record<string, Value>) =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
const height = Math.round(place([meridian, south])[1]);
const europe = [left, top, right - left, bottom - top].map(Math.round);
const file = new URL("../src/app/_ui/flows/world.json", import.meta.url);
const data = { world: [0, 0, width, height], europe, shapes: sorted(shapes), others, places: sorted(places) };
writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`);
