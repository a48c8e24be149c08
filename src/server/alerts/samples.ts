import { limits } from "#server/platform/limits.ts";
import type { Condition, Evaluation } from "./kind.ts";

const { marginPercent, heldMs } = limits.alerts;

/** Whether a value is at its limit or above. What is open closes only a margin below it. */
export const isOver = (value: number, limit: number, wasOpen: boolean): boolean =>
  value * 100 >= limit * (wasOpen ? 100 - marginPercent : 100);

/** Whether a value is at its limit or below. What is open closes only a margin above it. */
export const isUnder = (value: number, limit: number, wasOpen: boolean): boolean =>
  value * 100 <= limit * (wasOpen ? 100 + marginPercent : 100);

/** A measurement over some requests. */
export interface Sample {
  readonly subject: string;
  /** How many requests it is about. */
  readonly count: number;
  readonly value: number;
}

interface SampleRule<S extends Sample> {
  readonly limit: number;
  /** Fewer requests open nothing. */
  readonly countMin: number;
  /** Whether a subject is one of today's grouping. Others are not measured any more. */
  readonly isGrouped?: (subject: string) => boolean;
  readonly textsOf: (sample: S) => Omit<Condition, "subject">;
}

/**
 * The conditions of measured values. Without any request what is open stays so, for example because the endpoint is
 * not tried any more, but a day at most.
 */
export function judgeSamples<S extends Sample>(
  samples: readonly S[],
  { limit, countMin, isGrouped = () => true, textsOf }: SampleRule<S>,
  { open, nowMs }: Evaluation,
): Condition[] {
  const measured = new Set(samples.filter(({ count }) => count > 0).map(({ subject }) => subject));
  const found = samples.flatMap((sample) => {
    const { subject, count, value } = sample;
    const wasOpen = open.has(subject);
    const isEnough = count > 0 && (wasOpen || count >= countMin);
    return isEnough && isOver(value, limit, wasOpen) ? [{ subject, ...textsOf(sample) }] : [];
  });
  const held = [...open.values()].filter(
    ({ subject, openedAtMs }) => !measured.has(subject) && isGrouped(subject) && nowMs - openedAtMs < heldMs,
  );
  return [...found, ...held.map(({ subject, title, detail }) => ({ subject, title, detail }))];
}

const numbers = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });
const money = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** A number as notifications show it. */
export const shownNumber = (value: number): string => numbers.format(value);
export const shownMoney = (currency: "EUR" | "USD", value: number): string =>
  `${currency} ${money.format(value)}`;
export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${shownNumber(count)} ${count === 1 ? singular : plural}`;
