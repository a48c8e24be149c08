import { writeFileSync } from "node:fs";
import { sendAll } from "./client.ts";
import { type Command, type Json, recordIn, text, type Values } from "./command.ts";
import { readText, secretOf } from "./secrets.ts";

const fileOf = (values: Values): string => text(values.file) ?? "portolan.yaml";

const post = (path: string, body: Json) => sendAll({ method: "POST", path, body });

interface Prepared {
  readonly body: Json;
  readonly plan: Json;
}

/** Plans a file. The server says which secrets it needs; only references that the file contains are read. */
async function planned(values: Values, prune: boolean): Promise<Prepared> {
  const path = fileOf(values);
  const file = readText(path);
  const body = { file, prune, workspace: text(values.workspace) };
  const first = recordIn(await post("/config/plan", body));
  const references = (first.secrets as string[]).filter((reference) => file.includes(reference));
  const known = references.flatMap((reference) => {
    const value = secretOf(reference, path, process.env);
    return value === undefined ? [] : [[reference, value]];
  });
  if (known.length === 0) return { body, plan: first };
  const complete = { ...body, secrets: Object.fromEntries(known) };
  return { body: complete, plan: recordIn(await post("/config/plan", complete)) };
}

const signs: Readonly<Record<string, string>> = { create: "+", update: "~", replace: "±", delete: "-" };
const listIn = (record: Json, name: string): Json[] => (record[name] ?? []) as Json[];
const shownValue = (value: unknown): string => (value === null ? "(not set)" : JSON.stringify(value));

function changeLines({ kind, name, action, fields }: Json): string[] {
  const lines = (fields as Json[]).map(
    ({ field, before, after }) => `      ${field}: ${shownValue(before)} -> ${shownValue(after)}`,
  );
  return [`  ${signs[String(action)]} ${action} ${kind} "${name}"`, ...lines];
}

const group = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", title, ...lines];

const missingSecrets = (plan: Json): string[] =>
  group(
    "Secrets without a value here (stored ones stay):",
    ((plan.secrets ?? []) as string[]).map((reference) => `  ${reference}`),
  );

/** A plan as text. */
function shownPlan(plan: Json): string {
  const { create, update, replace, delete: deleted } = plan.summary as Json;
  const changes = listIn(plan, "changes");
  const head =
    changes.length === 0
      ? "No changes."
      : `${create} to create, ${update} to change, ${replace} to replace, ${deleted} to delete:`;
  const named = ({ kind, name }: Json) => `${kind} "${name}"`;
  const { since, requests } = (plan.traffic ?? {}) as Json;
  return [
    head,
    ...changes.flatMap(changeLines),
    ...group(
      `What ${requests} recorded requests since ${since} would have done differently, and what ends:`,
      listIn(plan, "consequences").map((one) => `  ! ${named(one)}: ${one.message}`),
    ),
    ...group(
      "Not in the file (deleted with --prune):",
      plan.deletesUnlisted ? [] : listIn(plan, "unlisted").map((one) => `  ${named(one)}`),
    ),
    ...missingSecrets(plan),
    ...group("Digest of the plan:", changes.length === 0 ? [] : [`  ${plan.digest}`]),
  ].join("\n");
}

function shownResult(answer: Json): string {
  const keys = listIn(answer, "keys").map(({ name, key }) => `  ${name}: ${key}`);
  const done = listIn(answer, "changes").length === 0 ? "No changes." : "Applied.";
  return [done, ...group("Generated API keys, which are not shown again:", keys)].join("\n");
}

const isSame = (plan: Json): boolean => listIn(plan, "changes").length === 0;
/** Not 1, which is the exit code of every error: a job can tell drift from a server that does not answer. */
const driftExitCode = 2;

const usage = "[-f FILE] [--workspace NAME]";

/** The configuration as a file. */
export const configCommands: Record<string, Command> = {
  "config plan": {
    usage: `config plan ${usage} [--prune]`,
    about: "shows what a file would change, and what past traffic would have done differently",
    async run(values) {
      const prune = values.prune === true;
      return { ...(await planned(values, prune)).plan, deletesUnlisted: prune };
    },
    show: shownPlan,
  },
  "config apply": {
    usage: `config apply ${usage} [--prune] [--digest DIGEST]`,
    about: "makes all changes of a file or none; with --digest only those of a plan that was reviewed",
    async run(values) {
      const { body, plan } = await planned(values, values.prune === true);
      if (values.json !== true) process.stdout.write(`${shownPlan(plan)}\n\n`);
      return recordIn(await post("/config/apply", { ...body, digest: text(values.digest) ?? plan.digest }));
    },
    show: shownResult,
  },
  "config export": {
    usage: `config export ${usage}`,
    about: "prints the configuration as a file, or writes it to FILE",
    async run(values) {
      const workspace = text(values.workspace);
      const query = workspace === undefined ? "" : `?${new URLSearchParams({ workspace })}`;
      const answer = recordIn(await sendAll({ method: "GET", path: `/config/export${query}` }));
      const file = text(values.file);
      if (file !== undefined) writeFileSync(file, String(answer.file));
      return { ...answer, written: file ?? null };
    },
    show: ({ file, written }) => (written === null ? String(file).trimEnd() : `Written to ${written}.`),
  },
  "config drift": {
    usage: `config drift ${usage}`,
    about: `shows what differs from a file, and exits with ${driftExitCode} if anything does`,
    async run(values) {
      return { ...(await planned(values, true)).plan, deletesUnlisted: true };
    },
    show: (plan) =>
      isSame(plan) ? ["The state is that of the file.", ...missingSecrets(plan)].join("\n") : shownPlan(plan),
    exitCode: (plan) => (isSame(plan) ? 0 : driftExitCode),
  },
};
