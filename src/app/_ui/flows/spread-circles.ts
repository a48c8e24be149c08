export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const roundsMax = 200;
/** How close two circles may come, as a share of their radii. */
const gap = 1.04;

const within = (value: number, from: number, size: number, radius: number) =>
  Math.min(Math.max(value, from + radius), from + size - radius);

/**
 * Moves circles apart until none covers another, each as little as its neighbours need, and none out of `box`. The
 * order of the result is that of `circles`. Equal circles always get equal places.
 */
export function spreadCircles(circles: readonly Circle[], box: Box): readonly Circle[] {
  const spread = circles.map((circle) => ({ ...circle }));
  for (let round = 0; round < roundsMax; round++) {
    let moved = false;
    for (const [at, one] of spread.entries())
      for (const other of spread.slice(at + 1)) {
        const distance = Math.hypot(other.x - one.x, other.y - one.y);
        const missing = (one.radius + other.radius) * gap - distance;
        if (missing <= 1e-6) continue;
        moved = true;
        // Circles at the same point part in different directions.
        const angle = distance === 0 ? at : Math.atan2(other.y - one.y, other.x - one.x);
        for (const [circle, sign] of [
          [one, -1],
          [other, 1],
        ] as const) {
          const step = (sign * missing) / 2;
          circle.x = within(circle.x + Math.cos(angle) * step, box.x, box.width, circle.radius);
          circle.y = within(circle.y + Math.sin(angle) * step, box.y, box.height, circle.radius);
        }
      }
    if (!moved) break;
  }
  return spread;
}
