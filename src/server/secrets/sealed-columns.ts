/** A column with encrypted text, and how SQL finds its rows (alias `t`). */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** What its rows are called, in the plural. */
  readonly what: string;
  /** The row's key, with the types of its columns, in the order of its index. */
  readonly key: Readonly<Record<string, string>>;
  /** What the text is bound to, besides table and column. */
  readonly rowId: string;
  readonly orgId: string;
  /** Further columns that are needed for that. */
  readonly join?: string;
  /** SQL for the text if it is inside a JSON column, and for the column with the text replaced by `held.sealed`. */
  readonly part?: { readonly text: string; readonly column: string };
}

/** Every column with encrypted text, small tables first. A test compares it with the code that encrypts. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "provider_credential",
    column: "secret",
    what: "credentials of providers",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "destination",
    column: "secrets",
    what: "destinations",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "alert_channel",
    column: "secrets",
    what: "channels of alerts",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "erasure",
    column: "subject",
    what: "subjects of erasures",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "idempotent_request",
    column: "answer",
    what: "answers stored for retries",
    key: { org_id: "uuid", route: "text", key: "text" },
    rowId: "t.route || '|' || t.key",
    orgId: "t.org_id",
  },
  {
    table: "jobs.job",
    column: "data",
    what: "mails that wait",
    key: { name: "text", id: "uuid" },
    rowId: "t.data ->> 'id'",
    orgId: "''",
    part: { text: "t.data ->> 'sealed'", column: "jsonb_set(t.data, '{sealed}', to_jsonb(held.sealed))" },
  },
  {
    table: "conversation",
    column: "metadata",
    what: "conversations",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "conversation_item",
    column: "content",
    what: "items of conversations",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "stored_completion",
    column: "metadata",
    what: "labels of chat completions",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "stored_completion",
    column: "messages",
    what: "messages of chat completions",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "stored_completion",
    column: "completion",
    what: "chat completions",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "stored_response_event",
    column: "frames",
    what: "parts of stored responses",
    key: { response_id: "uuid", sequence_number: "int" },
    rowId: "t.response_id || ' ' || t.sequence_number",
    orgId: "response.org_id",
    join: "join stored_response as response on response.id = t.response_id",
  },
  {
    table: "stored_response",
    column: "content",
    what: "stored responses",
    key: { id: "uuid" },
    rowId: "t.id",
    orgId: "t.org_id",
  },
  {
    table: "destination_delivery",
    column: "payload",
    what: "traces that wait",
    key: { id: "uuid" },
    rowId: "t.generation_id || ':' || t.content",
    orgId: "destination.org_id",
    join: "join destination on destination.id = t.destination_id",
  },
];

/** The sealed text in a row. */
export const textOf = ({ column, part }: SealedColumn): string => (part ? `(${part.text})` : `t.${column}`);
