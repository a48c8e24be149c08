// npm run cli -- <command>: a thin shell over the REST API of a running server (PORTOLAN_URL, PORTOLAN_API_KEY).
import { parseArgs } from "node:util";

type Json = Record<string, unknown>;
type Values = Record<string, string | boolean | undefined>;

interface Command {
  readonly usage: string;
  readonly about: string;
  readonly call: (values: Values, argument: string) => { method: string; path: string; body?: Json };
  /** The answer for people; `--json` prints it as it came. */
  readonly show: (answer: Json) => string;
}

const text = (value: Values[string]): string | undefined => (typeof value === "string" ? value : undefined);
const list = (value: Values[string]): string[] | undefined =>
  text(value)
    ?.split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const amount = (value: Values[string]): number | undefined =>
  text(value) === undefined ? undefined : Number(value);

/** Rows under their headings, padded to the widest of each column. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const rowsIn = (answer: Json): Json[] => answer.data as Json[];
const recordIn = (answer: Json): Json => answer.data as Json;

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
      const { balance, total_credits, total_usage } = credits as Json;
      return `${org_name}: ${balance} EUR left of ${total_credits} EUR, ${total_usage} EUR used`;
    },
  },
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

/** A problem a person can solve; printed without a stack. */
class Problem extends Error {}

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
    },
  });
  const command = commands[positionals.slice(0, 2).join(" ")];
  const argument = positionals.slice(2).join(" ");
  if (!command || command.usage.includes("<") !== (argument !== "")) throw new Problem(usage);
  const answer = await send(command.call(values, argument));
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : command.show(answer)}\n`);
}

try {
  await main();
} catch (error) {
  const known = error instanceof Problem || (error instanceof TypeError && "code" in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}
