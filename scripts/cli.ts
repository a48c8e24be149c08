// npm run cli -- <command>: a thin shell over the REST API of a running server (PORTOLAN_URL, PORTOLAN_API_KEY).
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { Decimal } from "decimal.js";
import {
  amount,
  type Command,
  type Json,
  list,
  Problem,
  recordIn,
  rowsIn,
  table,
  text,
  type Values,
} from "./cli/command.ts";
import { organisationCommands } from "./cli/organisations.ts";

interface InvoiceLine {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly amount: string;
  readonly currency: string;
}

/** An invoice's lines: the columns day, provider, model, amount, currency; others are left alone. */
function readInvoice(file: string): InvoiceLine[] {
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

/** Where invoice and records differ; lines of the same day, provider, model and currency are one. */
function differences(invoice: readonly InvoiceLine[], rows: readonly Json[]): string {
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

function readJson(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Json;
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

const activityPath = (from: Values[string], to: Values[string], groups: Values[string]): string =>
  `/activity?${new URLSearchParams({ from: String(from ?? ""), to: String(to ?? ""), ...(text(groups) && { group_by: String(groups) }) })}`;

const commands: Record<string, Command> = {
  "keys list": {
    usage: "keys list [--all]",
    about: "the keys you can see; --all with the disabled ones",
    call: ({ all }) => ({ method: "GET", path: `/keys?include_disabled=${all === true}` }),
    show: (answer) =>
      table([
        ["HASH", "NAME", "USAGE EUR", "LIMIT EUR", "STATE"],
        ...rowsIn(answer).map(({ hash, name, usage, limit, disabled }) => [
          String(hash),
          String(name),
          String(usage),
          String(limit ?? "-"),
          disabled ? "disabled" : "active",
        ]),
      ]),
  },
  "keys create": {
    usage:
      "keys create <name> [--limit EUR] [--limit-reset daily|weekly|monthly] [--expires-at TIME] [--permissions a,b] [--models a,b] [--workspace ID]",
    about: "a new key, shown this once",
    call: (values, name) => ({
      method: "POST",
      path: "/keys",
      body: {
        name,
        limit: amount(values.limit),
        limit_reset: text(values["limit-reset"]),
        expires_at: text(values["expires-at"]),
        permissions: list(values.permissions),
        allowed_models: list(values.models),
        workspace_id: text(values.workspace),
      },
    }),
    show: (answer) =>
      `${answer.key}\n\nIt is shown this once. To revoke it: keys revoke ${recordIn(answer).hash}`,
  },
  "keys revoke": {
    usage: "keys revoke <hash>",
    about: "ends a key for good",
    call: (_, hash) => ({ method: "DELETE", path: `/keys/${encodeURIComponent(hash)}` }),
    show: () => "Revoked.",
  },
  "credits show": {
    usage: "credits show",
    about: "the organisation's credits",
    call: () => ({ method: "GET", path: "/me" }),
    show: ({ org_name, credits }) => {
      if (credits === null) return `${org_name}: the key belongs to a workspace and does not see the credit`;
      const { balance, total_credits, total_usage } = credits as Json;
      return `${org_name}: ${balance} EUR left of ${total_credits} EUR, ${total_usage} EUR used`;
    },
  },
  "users list": {
    usage: "users list",
    about: "the members of the organisation, service accounts too",
    call: () => ({ method: "GET", path: "/members" }),
    show: (answer) =>
      table([
        ["ID", "E-MAIL", "NAME", "ROLE", "STATE"],
        ...rowsIn(answer).map(({ user_id, email, name, role, disabled }) => [
          String(user_id),
          String(email ?? "service account"),
          String(name),
          String(role),
          disabled ? "disabled" : "active",
        ]),
      ]),
  },
  "users create": {
    usage: "users create <e-mail> [--role owner|admin|member|viewer]",
    about: "invites somebody; needs a key with members:write",
    call: ({ role }, email) => ({ method: "POST", path: "/invitations", body: { email, role: text(role) } }),
    show: (answer) => {
      const { email, expires_at } = recordIn(answer);
      if (answer.link === null) return `A mail with the link is on its way to ${email}.`;
      return `${answer.link}\n\nPass this link on to ${email}. It counts once, until ${expires_at}, and is shown this once.`;
    },
  },
  "activity export": {
    usage: "activity export --from DAY --to DAY [--group-by day,model,...]",
    about: "what was used, as CSV (by day, model, provider, api_key_id, workspace_id)",
    call: ({ from, to, "group-by": groups }) => ({ method: "GET", path: activityPath(from, to, groups) }),
    // A name that begins like a formula must stay a name in a spreadsheet.
    show: (answer) => stringify(rowsIn(answer), { header: true, escape_formulas: true }).trimEnd(),
  },
  reconcile: {
    usage: "reconcile <invoice.csv>",
    about: "a provider's invoice against our own records, by day and model (docs/billing.md)",
    call: (_, file) => {
      const days = readInvoice(file)
        .map(({ day }) => day)
        .sort();
      return { method: "GET", path: activityPath(days[0], days.at(-1), "day,model,provider") };
    },
    show: (answer, file) => differences(readInvoice(file), rowsIn(answer)),
  },
  "prices import": {
    usage: "prices import <file>",
    about: "prices into the price book, all of the file's or none (docs/billing.md)",
    call: (_, file) => ({ method: "POST", path: "/prices", body: readJson(file) }),
    show: (answer) => `${recordIn(answer).imported} prices imported.`,
  },
  "prices show": {
    usage: "prices show <endpoint>",
    about: "every price of an endpoint, past, present and to come",
    call: (_, endpoint) => ({ method: "GET", path: `/prices?endpoint=${encodeURIComponent(endpoint)}` }),
    show: (answer) =>
      table([
        ["FROM", "UNTIL", "INPUT", "OUTPUT", "", "ORIGIN", "VERSION"],
        ...rowsIn(answer).map(
          ({ valid_from, valid_until, input, output, currency, origin, version, current }) => [
            String(valid_from ?? "-"),
            String(valid_until ?? "-"),
            String(input ?? "-"),
            String(output ?? "-"),
            String(currency ?? "-"),
            `${origin}${current ? " (now)" : ""}`,
            String(version ?? "-"),
          ],
        ),
      ]),
  },
  "credits grant": {
    usage: "credits grant <EUR> --reason TEXT",
    about: "gives the organisation credit; for owners",
    call: ({ reason }, eur) => ({
      method: "POST",
      path: "/credits/grants",
      body: { amount: Number(eur), reason: text(reason) },
    }),
    show: (answer) => `Granted ${recordIn(answer).amount} EUR; ${recordIn(answer).balance} EUR are left.`,
  },
  ...organisationCommands,
  "rules dry-run": {
    usage: "rules dry-run [--model M] [--rule NAME] [--residency eu]",
    about: "where a request would go, and why not elsewhere",
    call: ({ model, rule, residency }) => ({
      method: "POST",
      path: "/routing-rules/dry-run",
      body: {
        model: text(model),
        rule_name: text(rule),
        ...(residency && { preference_overrides: { data_residency: text(residency) } }),
      },
    }),
    show: (answer) =>
      (recordIn(answer).results as Json[])
        .map(({ model, providers, excluded }) => {
          const reasons = (excluded as Json[]).map(
            ({ provider, excluded_by }) => `\n  not ${provider}: ${excluded_by}`,
          );
          return `${model}: ${(providers as string[]).join(", ") || "nobody"}${reasons.join("")}`;
        })
        .join("\n"),
  },
};

const usage = `Usage: npm run cli -- <command> [--json]\n\n${Object.values(commands)
  .map((command) => `  ${command.usage}\n      ${command.about}`)
  .join("\n")}\n\nPORTOLAN_API_KEY is the key to act with, PORTOLAN_URL the server (http://localhost:3000).`;

async function send({ method, path, body }: ReturnType<Command["call"]>): Promise<Json> {
  const { PORTOLAN_URL = "http://localhost:3000", PORTOLAN_API_KEY } = process.env;
  if (!PORTOLAN_API_KEY) throw new Problem("Set PORTOLAN_API_KEY to an API key of the server.");
  const url = `${PORTOLAN_URL.replace(/\/$/, "")}/api/v1${path}`;
  const headers = { authorization: `Bearer ${PORTOLAN_API_KEY}`, "content-type": "application/json" };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
    () => {
      throw new Problem(`No server answers at ${PORTOLAN_URL}.`);
    },
  );
  const answer = (await response.json()) as Json;
  if (response.ok) return answer;
  const { message } = answer.error as { message: string };
  throw new Problem(`${message} (${response.status}, request ${answer.requestId})`);
}

/** As above; of an answer that comes by pages (`next`) all of them as one. */
async function sendWhole(call: ReturnType<Command["call"]>): Promise<Json> {
  const { next, ...answer } = await send(call);
  const rows = typeof next === "string" ? [...rowsIn(answer)] : [];
  for (let after = next; typeof after === "string"; ) {
    const page = await send({ ...call, path: `${call.path}&${new URLSearchParams({ after })}` });
    rows.push(...rowsIn(page));
    after = page.next;
  }
  return rows.length > 0 ? { ...answer, data: rows } : answer;
}

const option = { type: "string" } as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean" },
      json: { type: "boolean" },
      limit: option,
      "limit-reset": option,
      "expires-at": option,
      permissions: option,
      models: option,
      workspace: option,
      model: option,
      rule: option,
      residency: option,
      from: option,
      to: option,
      "group-by": option,
      role: option,
      reason: option,
      search: option,
      owner: option,
      credit: option,
      name: option,
    },
  });
  const words = commands[positionals[0] ?? ""] ? 1 : 2;
  const command = commands[positionals.slice(0, words).join(" ")];
  const argument = positionals.slice(words).join(" ");
  if (!command || command.usage.includes("<") !== (argument !== "")) throw new Problem(usage);
  const answer = await sendWhole(command.call(values, argument));
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : command.show(answer, argument)}\n`);
}

try {
  await main();
} catch (error) {
  const known = error instanceof Problem || (error instanceof TypeError && "code" in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}
