import { address, identifier, secret, text } from "../fields.ts";
import { type ConfigOf, defineKind, type Send, succeeded } from "../kind.ts";
import { columnsOf } from "../trace/columns.ts";

const name = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const fields = {
  host: address("Address", "https://<host>, and its port unless it is 443."),
  database: identifier("Database", name),
  username: text("User"),
  password: secret("Password"),
  table: identifier("Table", name).default("LLM_TRACES"),
};

function ask(config: ConfigOf<typeof fields>, send: Send, query: Record<string, string>, body = "") {
  const url = new URL(`${config.host}/`);
  for (const [key, value] of Object.entries({ database: config.database, ...query })) {
    url.searchParams.set(key, value);
  }
  return send({
    method: "POST",
    url: url.href,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "x-clickhouse-user": config.username,
      "x-clickhouse-key": config.password,
    },
    body,
  });
}

export const clickhouse = defineKind({
  type: "clickhouse",
  name: "ClickHouse",
  description: "Rows in your own ClickHouse table.",
  documentationUrl: "https://clickhouse.com/docs/interfaces/http",
  protocol: "ClickHouse HTTP, JSONEachRow",
  fields,
  batchMax: 500,
  retryAlso: [408, 500],
  address: ({ host }) => ({ url: host, field: "host" }),
  deliver: (config, traces, { send }) =>
    ask(
      config,
      send,
      {
        query: `INSERT INTO \`${config.table}\` FORMAT JSONEachRow`,
        input_format_skip_unknown_fields: "1",
        async_insert: "1",
        // Answers once the rows are stored, not once they are queued.
        wait_for_async_insert: "1",
      },
      traces.map((trace) => JSON.stringify(columnsOf(trace))).join("\n"),
    ),
  async test(config, { send }) {
    const { status } = await send({ method: "GET", url: `${config.host}/ping` });
    if (!succeeded(status)) return { ok: false, status };
    const exists = await ask(config, send, { query: `EXISTS TABLE \`${config.table}\`` });
    if (!succeeded(exists.status)) return { ok: false, status: exists.status };
    return exists.body.toString().trim() === "1"
      ? { ok: true, status: exists.status }
      : { ok: false, status: 404 };
  },
});
