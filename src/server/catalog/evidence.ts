import type { EntryScope, EntrySection } from "#contract/catalogue-entry.ts";

/** The fields of an entry as somebody wrote them. */
export type JsonFields = Readonly<Record<string, unknown>>;

interface Stated {
  readonly section: EntrySection;
  readonly body: JsonFields;
  readonly source: string | null;
  readonly asOf: string | null;
}

/** Fields that hold a fact: a bare value, or an object with its evidence. */
const facts: ReadonlySet<string> = new Set([
  ...["legal_entity", "eu_owned", "storage_countries", "training", "retention_days"],
]);

const isFields = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whose word stands for what names no source. */
const speakers: Record<EntryScope, string> = { installation: "operator", organisation: "organisation" };

/** The fields of an entry, where each fact and price without a source has that of the entry. */
export function withEvidence({ section, body, source, asOf }: Stated, scope: EntryScope): JsonFields {
  const evidence = { source: source ?? speakers[scope], as_of: asOf };
  const stated = Object.entries(body).map(([field, value]) => {
    if (facts.has(field)) {
      if (value === null) return [field, value];
      return [field, isFields(value) ? { ...evidence, ...value } : { value, ...evidence }];
    }
    return [field, field === "price" && isFields(value) ? { ...evidence, ...value } : value];
  });
  return { ...(section === "endpoint" && evidence), ...Object.fromEntries(stated) };
}
