"use client";

import { useEffect, useState } from "react";
import { msOfLocal } from "./time-zone.ts";

/** The browser's wall time in ms, refreshed every `everyMs`, so that relative times stay true. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}

/** The time `days` from now, as the API takes it. */
export const isoInDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** What a `datetime-local` field holds, in the chosen zone, as the API takes it; undefined when it is no time. */
export const isoOfLocal = (local: string | null): string | undefined => {
  const ms = local ? msOfLocal(local) : Number.NaN;
  return Number.isNaN(ms) ? undefined : isoOf(ms);
};

/** Milliseconds that only ever grow, to measure how long something took. */
export const monotonicMs = (): number => performance.now();
