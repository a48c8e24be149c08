import type { CodeRequest } from "#contract/authorization.ts";
import { isoInDays } from "../../_lib/use-now.ts";

type Reset = NonNullable<CodeRequest["limit_reset"]>;

export const resetChoices: { value: Reset | ""; label: string }[] = [
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

/** What the form's fields allow the key; an empty field sets no bound. */
export function boundsIn(
  fields: FormData,
): Pick<CodeRequest, "limit" | "limit_reset" | "expires_at" | "workspace_id"> {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  const reset = resetChoices.find(({ value }) => value === text("limit_reset"))?.value;
  return {
    limit: text("limit") === "" ? null : Number(text("limit")),
    limit_reset: reset || null,
    expires_at: text("days") === "" ? null : isoInDays(Number(text("days"))),
    workspace_id: text("workspace_id") || null,
  };
}
