import { stringify } from "csv-stringify/sync";
import { type Command, rowsIn, text, type Values } from "./command.ts";
import { differences, readInvoice } from "./invoice.ts";

const activityPath = (from: Values[string], to: Values[string], groups: Values[string]): string =>
  `/activity?${new URLSearchParams({ from: String(from ?? ""), to: String(to ?? ""), ...(text(groups) && { group_by: String(groups) }) })}`;

/** Usage and its cost. */
export const activityCommands: Record<string, Command> = {
  "activity export": {
    usage: "activity export --from DAY --to DAY [--group-by day,model,...]",
    about: "exports usage as CSV (by day, model, provider, api_key_id, workspace_id)",
    call: ({ from, to, "group-by": groups }) => ({ method: "GET", path: activityPath(from, to, groups) }),
    // A name that looks like a formula must not become one in a spreadsheet.
    show: (answer) => stringify(rowsIn(answer), { header: true, escape_formulas: true }).trimEnd(),
  },
  reconcile: {
    usage: "reconcile <invoice.csv>",
    about: "compares a provider's invoice with the recorded usage, by day and model (docs/billing.md)",
    call: (_, file) => {
      const days = readInvoice(file)
        .map(({ day }) => day)
        .sort();
      return { method: "GET", path: activityPath(days[0], days.at(-1), "day,model,provider") };
    },
    show: (answer, file) => differences(readInvoice(file), rowsIn(answer)),
  },
};
