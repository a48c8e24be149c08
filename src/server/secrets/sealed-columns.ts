/** Where sealed text stands: as its place names it, and how SQL finds its rows, whose alias is `t`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The row's key, with the types of its columns, in the order of its index. */
  readonly key: Readonly<Record<string, string>>;
  /** What the text is sealed for, besides table and column. */
  readonly rowId: string;
  readonly orgId: string;
  /** What else has to be read for that. */
  readonly join?: string;
  /** The text when it is a part of the column, and the column when `held.sealed` has taken its place. */
  readonly part?: { readonly text: string; readonly column: string };
}

/** Every column that holds sealed text, the small tables first. A test holds it against the code that seals. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "provider_credential", column: "secret", key: { id: "uuid" }, rowId: "t.id", orgId: "t.org_id" },
  { table: "destination", column: "secrets", key: { id: "uuid" }, rowId: "t.id", orgId: "t.org_id" },
  {
    table: "idempotent_request",
    column: "answer",
    key: { org_id: "uuid", route: "text", key: "text" },
    rowId: "t.route || '|' || t.key",
    orgId: "t.org_id",
  },
  {
    table: "jobs.job",
    column: "data",
    key: { name: "text", id: "uuid" },
    rowId: "t.data ->> 'id'",
    orgId: "''",
    part: { text: "t.data ->> 'sealed'", column: "jsonb_set(t.data, '{sealed}', to_jsonb(held.sealed))" },
  },
  {
    table: "stored_response_event",
    column: "frames",
    key: { response_id: "uuid", sequence_number: "int" },
    rowId: "t.response_id || ' ' || t.sequence_number",
    orgId: "response.org_id",
    join: "join stored_response as response on response.id = t.response_id",
  },
  { table: "stored_response", column: "content", key: { id: "uuid" }, rowId: "t.id", orgId: "t.org_id" },
  {
    table: "destination_delivery",
    column: "payload",
    key: { id: "uuid" },
    rowId: "t.generation_id || ':' || t.content",
    orgId: "destination.org_id",
    join: "join destination on destination.id = t.destination_id",
  },
];
