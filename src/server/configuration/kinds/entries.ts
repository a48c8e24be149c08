import { CatalogueEntriesCreate, type CatalogueEntry, type EntrySection } from "#contract/catalogue-entry.ts";
import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import {
  createEntries,
  deleteEntry,
  type EntryRow,
  listEntries,
  nameFields,
  updateEntry,
} from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { everyPage, type Kind, textOf } from "../kind.ts";
import type { Session } from "../session.ts";
import { isRecord } from "../values.ts";

export const entryKinds = { providers: "provider", models: "model", endpoints: "endpoint" } as const;
type EntryKind = keyof typeof entryKinds;
export const isEntryKind = (kind: string): kind is EntryKind => kind in entryKinds;

const defaults = { scope: "organisation", enabled: true, entry: {} };

/** The fields that a name consists of. */
function namedBy(section: EntrySection, name: string): Record<string, string> {
  if (section === "provider") return { slug: name };
  if (section === "model") return { id: name };
  const [, provider = "", variant, model = ""] = /^([^/:]*)(?:\/([^:]*))?:(.*)$/.exec(name) ?? [];
  return { provider, ...(variant !== undefined && { variant }), model };
}

const scopeOf = ({ scope }: Values) => (scope === "installation" ? "installation" : "organisation");

/** An entry of the file as a catalogue has it. */
export const entryRow = (kind: EntryKind, id: string, values: Values): EntryRow => {
  const section = entryKinds[kind];
  const name = textOf(values.name);
  return {
    id,
    section,
    name,
    body: { ...namedBy(section, name), ...(isRecord(values.entry) && values.entry) },
    enabled: values.enabled !== false,
    source: typeof values.source === "string" ? values.source : null,
    asOf: typeof values.as_of === "string" ? values.as_of : null,
  };
};

const valuesOf = ({ section, name, scope, entry, enabled, source, as_of }: CatalogueEntry): Values => {
  const fields = Object.entries(entry).filter(([field]) => !nameFields[section].includes(field));
  return { name, scope, entry: Object.fromEntries(fields), enabled, source, as_of };
};

/** Throws BAD_REQUEST if the file has the entry in a form that no request could use. */
function assertUsable({ later }: Session, section: EntrySection, values: Values, id: string): void {
  const named = Object.keys(isRecord(values.entry) ? values.entry : {}).find((field) =>
    nameFields[section].includes(field),
  );
  if (named !== undefined)
    throw new AppError("BAD_REQUEST", `entry.${named}: is a part of the name`, { param: `entry.${named}` });
  const problem = later.problems.get(id);
  if (problem === undefined) return;
  const [, field, message = problem] = /^([\w.]+): (.+)$/s.exec(problem) ?? [];
  const param = field === undefined ? "entry" : `entry.${field}`;
  throw new AppError("BAD_REQUEST", `${param}: ${message}`, { param });
}

/** With what is below as the file wants it, and with the addresses to which credentials are sent today. */
const depsOf = ({ database, catalogues, later, outboundFor }: Session) => ({
  database,
  catalogues: { ...catalogues, below: later.below },
  outboundFor,
});

/** The ID of an entry that the file adds, while it has none. */
export const newEntryId = (kind: string, key: string): string => `new ${kind} ${key}`;

const sharedMark = " (installation)";
export const isShared = (key: string): boolean => key.endsWith(sharedMark);

function identify(values: Values) {
  const name = `${textOf(values.name)}${scopeOf(values) === "installation" ? sharedMark : ""}`;
  return { key: name, name };
}

const entryKind = (kind: EntryKind, comment: string): Kind => ({
  kind,
  form: configurationForms[kind],
  permissions: { read: "byok:read", write: "byok:write", delete: "byok:write" },
  secretFields: [],
  defaults,
  exact: ["entry"],
  fixed: [],
  isReplaced: false,
  comment,
  identify,
  workspaceOf: () => null,
  async read(session) {
    const reader = session.as("byok:read");
    const section = entryKinds[kind];
    const rows = await everyPage(
      (paging) => listEntries(depsOf(session), reader, { ...paging, section }),
      limits.lists.rowsMax,
    );
    // In the order in which they were added, which decides between equal aliases.
    return rows.toReversed().map((row) => ({ id: row.id, values: valuesOf(row) }));
  },
  comparable(session, values, current) {
    const id = current?.id ?? newEntryId(kind, identify(values).key);
    assertUsable(session, entryKinds[kind], values, id);
    return values;
  },
  async create(session, values) {
    const { body, enabled, source, asOf: as_of } = entryRow(kind, "", values);
    const writer = session.as("byok:write");
    const input = { scope: scopeOf(values), source, as_of, [kind]: [body] };
    const deps = depsOf(session);
    const [made] = await createEntries(deps, writer, CatalogueEntriesCreate.parse(input));
    if (!made) throw new Error("The created entry is missing");
    if (!enabled) await updateEntry(deps, writer, { id: made.id, enabled });
    return { id: made.id };
  },
  async update(session, { id, values, changed }) {
    const { body, enabled, source, asOf: as_of } = entryRow(kind, id, values);
    // It was read from JSON or YAML, so it is JSON.
    const entry = body as CatalogueEntry["entry"];
    await updateEntry(depsOf(session), session.as("byok:write"), {
      id,
      ...(changed.has("entry") && { entry }),
      ...(changed.has("enabled") && { enabled }),
      ...(changed.has("source") && { source }),
      ...(changed.has("as_of") && { as_of }),
    });
  },
  remove: (session, id) => deleteEntry(depsOf(session), session.as("byok:write"), id),
});

export const providers = entryKind(
  "providers",
  "Own providers, and facts about providers of the installation. `entry` has the fields of a catalogue file.",
);
export const models = entryKind("models", "Own models.");
export const endpoints = entryKind(
  "endpoints",
  "Which provider serves which model, and at which price. The name is provider:model or provider/variant:model.",
);
