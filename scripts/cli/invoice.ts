import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { Decimal } from "decimal.js";
import { type Json, Problem, table } from "./command.ts";

interface InvoiceLine {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly amount: string;
  readonly currency: string;
}

/** The lines of an invoice: the columns day, provider, model, amount, currency. Others are ignored. */
export function readInvoice(file: string): InvoiceLine[] {
  let lines: Record<string, string>[];
  try {
    lines = parse(readFileSync(file, "utf8"), {
      columns: true,
      bom: true,
      trim: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  if (lines.length === 0) throw new Problem(`${file} has no lines.`);
  return lines.map((line, index) => {
    const { day = "", provider = "", model = "", amount = "", currency = "" } = line;
    const wrong =
      (!/^\d{4}-\d{2}-\d{2}$/.test(day) && "day must be such as 2026-11-20") ||
      (!provider && "provider is missing") ||
      (!model && "model is missing") ||
      (!/^-?\d+(\.\d+)?$/.test(amount) && "amount must be a decimal with a point") ||
      (!["USD", "EUR"].includes(currency) && "currency must be USD or EUR");
    if (wrong) throw new Problem(`${file}: line ${index + 2}: ${wrong}.`);
    return { day, provider, model, amount, currency };
  });
}

/** Where invoice and records differ. Lines of the same day, provider, model and currency are added up. */
export function differences(invoice: readonly InvoiceLine[], rows: readonly Json[]): string {
  const name = ({ day, provider, model }: Json | InvoiceLine) => `${day} ${provider} ${model}`;
  const ours = new Map(rows.map((row) => [name(row), row]));
  const billed = new Map<string, { line: InvoiceLine; amount: Decimal }>();
  for (const line of invoice) {
    const key = `${name(line)} ${line.currency}`;
    const amount = new Decimal(line.amount).plus(billed.get(key)?.amount ?? 0);
    billed.set(key, { line, amount });
  }
  const found = [...billed.values()].flatMap(({ line, amount }) => {
    const row = ours.get(name(line));
    const recorded = new Decimal(String((line.currency === "EUR" ? row?.cost_eur : row?.upstream_usd) ?? 0));
    const difference = amount.minus(recorded);
    // Invoices are rounded to cents.
    if (difference.abs().lessThanOrEqualTo("0.005")) return [];
    return [[line.day, line.provider, line.model, line.currency, amount, recorded, difference].map(String)];
  });
  const providers = new Set(invoice.map(({ provider }) => provider));
  const invoiced = new Set(invoice.map(name));
  const missing = rows
    .filter(
      (row) =>
        providers.has(String(row.provider)) && !invoiced.has(name(row)) && Number(row.upstream_usd) > 0,
    )
    .map((row) =>
      [row.day, row.provider, row.model, "USD", "-", row.upstream_usd, `-${row.upstream_usd}`].map(String),
    );
  const all = [...found, ...missing];
  if (all.length === 0) return `No differences in ${billed.size} lines.`;
  return table([["DAY", "PROVIDER", "MODEL", "", "INVOICE", "RECORDED", "DIFFERENCE"], ...all]);
}
