import type { LimitReset } from "#contract/key.ts";
import { isoInDays } from "./use-now.ts";

export const resetChoices: { value: LimitReset | ""; label: string }[] = [
  { value: "", label: "Never" },
  { value: "daily", label: "Daily" },
  { value: "weekly", label: "Weekly (Mondays)" },
  { value: "monthly", label: "Monthly" },
];

export const expiryChoices = [
  { value: "1", label: "Tomorrow" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In 1 year" },
  { value: "", label: "Never" },
];

/** The text of a form's field, without spaces around it; empty when there is no such field. */
export const textIn = (fields: FormData, name: string): string => String(fields.get(name) ?? "").trim();

/** A limit as a form holds it; the amount is euros as typed, empty for none. */
export interface LimitDraft {
  readonly limit: string;
  readonly limit_reset: LimitReset | null;
}

interface Limit {
  readonly limit: number | null;
  readonly limit_reset: LimitReset | null;
}

export const noLimit: LimitDraft = { limit: "", limit_reset: null };

export const limitDraftOf = ({ limit, limit_reset }: Limit): LimitDraft => ({
  limit: limit?.toString() ?? "",
  limit_reset,
});

/** A limit as the API takes it. Without a limit there is no reset. */
export const limitBody = ({ limit, limit_reset }: LimitDraft): Limit =>
  limit.trim() === "" ? { limit: null, limit_reset: null } : { limit: Number(limit), limit_reset };

/** When a key ends, as a form holds it: a choice of `expiryChoices`, which counts from when it is sent, or a time. */
export const expiryBody = (ends: string): string | null =>
  ends === "" ? null : /^\d+$/.test(ends) ? isoInDays(Number(ends)) : ends;
