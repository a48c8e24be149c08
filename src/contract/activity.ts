const hourMs = 3_600_000;

/** The time ranges activity can be asked for, back from now. Without a schema: the console's screens read it. */
export const activityRanges = {
  "1h": { label: "1 hour", ms: hourMs },
  "24h": { label: "24 hours", ms: 24 * hourMs },
  "7d": { label: "7 days", ms: 7 * 24 * hourMs },
  "30d": { label: "30 days", ms: 30 * 24 * hourMs },
} as const;
export type ActivityRange = keyof typeof activityRanges;

/**
 * How a generation ended. What a person's client ended (`cancelled`) and what the process could not finish
 * (`interrupted`) are no errors.
 */
export const generationStatuses = ["completed", "failed", "cancelled", "interrupted"] as const;

/** What a list of generations can be sorted by. */
export const generationSorts = ["cost", "tokens", "first_token", "duration", "attempts"] as const;
