"use client";

import Link from "next/link";
import { type Circle, spreadCircles } from "./spread-circles.ts";
import world from "./world.json";
import classes from "./world-map.module.css";

export type MapView = "europe" | "world";

/** What a map shows of a country. */
export interface MapPlace {
  /** ISO 3166-1 alpha-2, or what is no country and therefore not on the map. */
  readonly country: string | null;
  /** Whether requests run there; otherwise only excluded providers do. */
  readonly isServed: boolean;
  /** Of all requests: 0 to 1. */
  readonly share: number;
  /** The name of its circle, with its numbers. */
  readonly text: string;
  /** Where its circle leads; null if it leads nowhere. */
  readonly href: string | null;
}

const shapes: Readonly<Record<string, string>> = world.shapes;
const points: Readonly<Record<string, readonly number[]>> = world.places;

const boxOf = (view: MapView) => {
  const [x = 0, y = 0, width = 0, height = 0] = world[view];
  return { x, y, width, height };
};

/** Where a country is on the map; null for what is no country. */
function pointOf(country: string | null): { readonly x: number; readonly y: number } | null {
  const [x, y] = points[country ?? ""] ?? [];
  return x === undefined || y === undefined ? null : { x, y };
}

/** Whether a point is on this part of the map. */
function isOn(view: MapView, point: Pick<Circle, "x" | "y">): boolean {
  const { x, y, width, height } = boxOf(view);
  return point.x > x && point.x < x + width && point.y > y && point.y < y + height;
}

/** Europe, unless requests went elsewhere. */
export function viewFor(places: readonly MapPlace[]): MapView {
  const isInside = places.every(({ country, isServed }) => {
    const point = isServed ? pointOf(country) : null;
    return !point || isOn("europe", point);
  });
  return isInside ? "europe" : "world";
}

/** The lines of the 16 winds from one point, as on a portolan chart. */
const winds = Array.from({ length: 16 }, (_, at) => (at * Math.PI) / 8);

function Rhumbs({ view }: { view: MapView }) {
  const { x, y, width, height } = boxOf(view);
  const [fromX, fromY] = [x + width * 0.16, y + height * 0.42];
  return winds.map((angle) => (
    <line
      key={angle}
      x1={fromX}
      y1={fromY}
      x2={fromX + Math.cos(angle) * width * 1.2}
      y2={fromY + Math.sin(angle) * width * 1.2}
      className={classes.rhumb}
    />
  ));
}

/** Shares of the width of the map. */
const radiusMin = 0.021;
const radiusMore = 0.03;
const codeSize = 0.021;

interface Mark {
  readonly place: MapPlace;
  readonly circle: Circle;
}

/**
 * A circle for each country, larger for a larger share of the requests. Those on this part of the map do not cover each
 * other; the others stay outside of it.
 */
export function marksOf(places: readonly MapPlace[], view: MapView): readonly Mark[] {
  const box = boxOf(view);
  const marks = places.flatMap((place) => {
    const point = pointOf(place.country);
    const radius = box.width * (radiusMin + radiusMore * Math.sqrt(place.share));
    return point ? [{ place, circle: { ...point, radius } }] : [];
  });
  const visible = marks.filter(({ circle }) => isOn(view, circle));
  const spread = spreadCircles(
    visible.map(({ circle }) => circle),
    box,
  );
  return marks.map((mark) => ({ ...mark, circle: spread[visible.indexOf(mark)] ?? mark.circle }));
}

interface PlaceMarkProps extends Mark {
  readonly view: MapView;
}

/** The circle of a country. It may lead to its requests. */
function PlaceMark({ place, circle: { x, y, radius }, view }: PlaceMarkProps) {
  const { country, text, href, isServed } = place;
  const circle = (
    <circle cx={x} cy={y} r={radius} data-excluded={!isServed || undefined} className={classes.place}>
      <title>{text}</title>
    </circle>
  );
  if (!isServed) return circle;
  return (
    <>
      {href === null ? (
        circle
      ) : (
        <Link href={href} aria-label={text} className={classes.link}>
          {circle}
        </Link>
      )}
      <text x={x} y={y} fontSize={boxOf(view).width * codeSize} className={classes.code} aria-hidden>
        {country}
      </text>
    </>
  );
}

interface WorldMapProps {
  readonly places: readonly MapPlace[];
  readonly view: MapView;
  readonly title: string;
}

/** Countries with a circle for each that requests run in, and that excluded providers are in. */
export function WorldMap({ places, view, title }: WorldMapProps) {
  const { x, y, width, height } = boxOf(view);
  const served = new Set(places.filter(({ isServed }) => isServed).map(({ country }) => country));
  return (
    <svg viewBox={`${x} ${y} ${width} ${height}`} className={classes.map}>
      <title>{title}</title>
      <Rhumbs view={view} />
      <path d={world.others} className={classes.land} />
      {Object.entries(shapes).map(([country, path]) => (
        <path
          key={country}
          d={path}
          data-served={served.has(country) || undefined}
          className={classes.land}
        />
      ))}
      {marksOf(places, view).map((mark) => (
        <PlaceMark key={mark.place.country} {...mark} view={view} />
      ))}
    </svg>
  );
}
