import type { ApiKeyCreate, LimitReset } from "#contract/key.ts";
import { isoInDays } from "./use-now.ts";

export const resetChoices: { value: LimitReset | ""; label: string }[] = [
  { value: "", label: "Never" },
  { value: "daily", label: "Every day" },
  { value: "weekly", label: "Every Monday" },
  { value: "monthly", label: "Every month" },
];

export const expiryChoices = [
  { value: "1", label: "Tomorrow" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

/** The text of a form's field, without spaces around it; empty when there is no such field. */
export const textIn = (fields: FormData, name: string): string => String(fields.get(name) ?? "").trim();

/** What the fields of a form allow a key; an empty field sets no bound. */
export function boundsIn(
  fields: FormData,
): Pick<ApiKeyCreate, "limit" | "limit_reset" | "expires_at" | "workspace_id"> {
  const text = (name: string) => textIn(fields, name);
  const reset = resetChoices.find(({ value }) => value === text("limit_reset"))?.value;
  return {
    limit: text("limit") === "" ? null : Number(text("limit")),
    limit_reset: reset || null,
    expires_at: text("days") === "" ? null : isoInDays(Number(text("days"))),
    workspace_id: text("workspace_id") || null,
  };
}
