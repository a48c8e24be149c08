import { basename } from "node:path";
import { sendAll } from "./client.ts";
import { type Command, type Json, list, recordIn, rowsIn, table, type Values } from "./command.ts";
import { readText } from "./secrets.ts";

const listIn = (record: Json, name: string): Json[] => (record[name] ?? []) as Json[];
const changesOf = (record: Json): number =>
  listIn(record, "counts").reduce(
    (sum, { added, removed, changed }) => sum + Number(added) + Number(removed) + Number(changed),
    0,
  );

/** A value of a catalogue file in one line. */
function valueText(value: unknown): string {
  if (value === null) return "-";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const signs: Readonly<Record<string, string>> = { added: "+", removed: "-", changed: "~" };

function differenceLine({ name, change, field, before, after, overridden_by: by }: Json): string {
  const what = field === null ? "" : ` ${field}: ${valueText(before)} -> ${valueText(after)}`;
  const overridden = by === null ? "" : ` (no effect: ${by} has its own)`;
  return `  ${signs[String(change)]} ${name}${what}${overridden}`;
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", title, ...lines];

function groupLines(update: Json, differences: readonly Json[]): string[] {
  return listIn(update, "counts").flatMap(({ group, added, removed, changed }) =>
    section(
      `${group}: ${added} new, ${removed} gone, ${changed} changed`,
      differences.filter((one) => one.group === group).map(differenceLine),
    ),
  );
}

function rulesLines(rules: Json): string[] {
  const lines = [
    ["admitted", "endpoints that become eligible"],
    ["excluded", "endpoints that are removed or no longer eligible"],
    ["unserved", "models that lose their last eligible endpoint"],
  ] as const;
  return lines.flatMap(([name, text]) =>
    rules[`${name}_count`] === 0
      ? []
      : [`  ${text}: ${rules[`${name}_count`]} (${(rules[name] as string[]).slice(0, 10).join(", ")})`],
  );
}

function shownUpdate({ update, differences, applied }: Json): string {
  const record = update as Json;
  const hosts = listIn(record, "new_hosts").map(({ provider, host }) => `  ${host} (${provider})`);
  const unused = listIn(record, "unused_entries").map(({ name, problem }) => `  ${name}: ${problem}`);
  return [
    `${record.source}, of ${record.as_of}: ${changesOf(record)} differences`,
    ...groupLines(record, differences as Json[]),
    ...section("Under your routing rules:", rulesLines(record.rules as Json)),
    ...section("Entries of the installation that would not be used any more:", unused),
    ...section("New hosts, which stored credentials are sent to. Accept with --accept-hosts:", hosts),
    "",
    applied ? "Applied." : "Nothing was changed. Apply it with --apply.",
  ].join("\n");
}

/** All differences; one answer has 1,000 at most. */
async function differencesAt(path: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = await sendAll({ method: "GET", path: `${path}/differences?offset=${rows.length}` });
    rows.push(...rowsIn(page));
    if (rows.length >= Number(page.total_count)) return rows;
  }
}

async function updateFrom(values: Values, place: string): Promise<Json> {
  const body = /^https?:\/\//.test(place)
    ? { url: place }
    : { document: readText(place), name: basename(place) };
  const update = recordIn(await sendAll({ method: "POST", path: "/catalogue-updates", body }));
  const path = `/catalogue-updates/${update.id}`;
  const differences = await differencesAt(path);
  const hosts = list(values["accept-hosts"]) ?? [];
  if (values.apply === true) {
    const accepted = { compared_with: update.compared_with, accept_hosts: hosts };
    await sendAll({ method: "POST", path: `${path}/apply`, body: accepted });
  }
  return { update, differences, applied: values.apply === true };
}

/** Newer documents of the shipped catalogue. */
export const catalogueCommands: Record<string, Command> = {
  "catalogue update": {
    usage: "catalogue update <file or URL> [--apply] [--accept-hosts HOST,HOST]",
    about: "shows how a catalogue file differs from the one in use, and with --apply applies it",
    run: updateFrom,
    show: shownUpdate,
  },
  "catalogue updates": {
    usage: "catalogue updates",
    about: "lists proposed, applied and undone catalogue updates",
    call: () => ({ method: "GET", path: "/catalogue-updates" }),
    show: (answer) =>
      table([
        ["ID", "STATE", "AS OF", "SOURCE"],
        ...rowsIn(answer).map(({ id, state, in_use, as_of, source }) => [
          ...[String(id), in_use ? "in use" : String(state), String(as_of), String(source)],
        ]),
      ]),
  },
  "catalogue undo": {
    usage: "catalogue undo <id>",
    about: "takes back the newest applied catalogue update",
    call: (_, id) => ({
      method: "POST",
      path: `/catalogue-updates/${encodeURIComponent(id)}/undo`,
      body: {},
    }),
    show: () => "Undone.",
  },
};
