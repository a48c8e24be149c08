import { formatCount } from "#app/_lib/format.ts";

/** More than this much more or less is not shown in percent. */
const percentMax = 999;

/** `12% more than before`: how an amount changed from one period to the next; null if there was nothing before. */
export function changeText(now: number, before: number): string | null {
  if (before <= 0) return null;
  const percent = Math.round((now / before - 1) * 100);
  if (percent === 0) return "unchanged";
  if (percent > percentMax) return `over ${formatCount(percentMax)}% more than before`;
  return `${Math.abs(percent)}% ${percent > 0 ? "more" : "less"} than before`;
}
