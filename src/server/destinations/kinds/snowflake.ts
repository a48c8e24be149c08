import { address, identifier, secret } from "../fields.ts";
import { type ConfigOf, type DestinationResponse, defineKind, type Send, trialOf } from "../kind.ts";
import { columnsOf, type TraceColumns } from "../trace/columns.ts";

const name = /^[A-Za-z_][A-Za-z0-9_$]{0,127}$/;
const fields = {
  account: identifier("Account", /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  token: secret("Programmatic access token"),
  database: identifier("Database", name).default("SNOWFLAKE_LEARNING_DB"),
  schema: identifier("Schema", name).default("PUBLIC"),
  table: identifier("Table", name).default("LLM_TRACES"),
  warehouse: identifier("Warehouse", name).default("COMPUTE_WH"),
  baseUrl: address("Address", "Only if it differs from the account's.").optional(),
};
type Config = ConfigOf<typeof fields>;

const types: Record<keyof TraceColumns, "STRING" | "NUMBER" | "FLOAT" | "TIMESTAMP_NTZ" | "VARIANT"> = {
  TRACE_ID: "STRING",
  SPAN_ID: "STRING",
  PARENT_SPAN_ID: "STRING",
  USER_ID: "STRING",
  SESSION_ID: "STRING",
  TIMESTAMP: "TIMESTAMP_NTZ",
  MODEL: "STRING",
  PROVIDER_NAME: "STRING",
  API_KEY_NAME: "STRING",
  STATUS: "STRING",
  LEVEL: "STRING",
  FINISH_REASON: "STRING",
  SPAN_TYPE: "STRING",
  PROMPT_TOKENS: "NUMBER",
  COMPLETION_TOKENS: "NUMBER",
  TOTAL_TOKENS: "NUMBER",
  TOTAL_COST: "FLOAT",
  DURATION_MS: "NUMBER",
  INPUT: "VARIANT",
  OUTPUT: "VARIANT",
  METADATA: "VARIANT",
  MODEL_PARAMETERS: "VARIANT",
  ATTRIBUTES: "VARIANT",
};
const columns = Object.keys(types).join(", ");
const values = Object.entries(types)
  .map(([column, type]) =>
    type === "VARIANT" ? `PARSE_JSON(value:${column}::STRING)` : `value:${column}::${type}`,
  )
  .join(", ");

const origin = ({ account, baseUrl }: Config): string =>
  baseUrl ?? `https://${account}.snowflakecomputing.com`;
const pollsMax = 5;

/** Runs a statement; a long one is polled until it has finished. */
async function run(
  config: Config,
  send: Send,
  statement: string,
  binding?: string,
): Promise<DestinationResponse> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    authorization: `Bearer ${config.token}`,
    "x-snowflake-authorization-token-type": "PROGRAMMATIC_ACCESS_TOKEN",
  };
  const { database, schema, warehouse } = config;
  const bindings = binding === undefined ? {} : { bindings: { "1": { type: "TEXT", value: binding } } };
  const body = JSON.stringify({ statement, ...bindings, database, schema, warehouse, timeout: 10 });
  const url = `${origin(config)}/api/v2/statements`;
  let response = await send({ method: "POST", url, headers, body });
  const handle = /"statementHandle"\s*:\s*"([\w-]+)"/.exec(response.body.toString())?.[1];
  for (let poll = 0; response.status === 202 && handle && poll < pollsMax; poll++) {
    response = await send({ method: "GET", url: `${url}/${handle}`, headers });
  }
  // Still running: the result is unknown, so it counts as no answer.
  return response.status === 202 ? { ...response, status: 503 } : response;
}

export const snowflake = defineKind({
  type: "snowflake",
  name: "Snowflake",
  description: "Rows in your own Snowflake table, through the SQL API.",
  documentationUrl: "https://docs.snowflake.com/en/developer-guide/sql-api/index",
  protocol: "Snowflake SQL API",
  fields,
  batchMax: 100,
  retryAlso: [408, 500],
  address: (config) => ({ url: origin(config), field: config.baseUrl ? "baseUrl" : "account" }),
  deliver: (config, traces, { send }) =>
    run(
      config,
      send,
      `INSERT INTO ${config.table} (${columns}) SELECT ${values} FROM TABLE(FLATTEN(input => PARSE_JSON(?)))`,
      JSON.stringify(traces.map(columnsOf)),
    ),
  test: async (config, { send }) => trialOf(await run(config, send, "SELECT 1")),
});
