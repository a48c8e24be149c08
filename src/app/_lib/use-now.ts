"use client";

import { useEffect, useState } from "react";

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
