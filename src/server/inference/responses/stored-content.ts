import type { ResponseItem } from "#contract/response-items.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import { randomHex } from "#server/platform/ids.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { tableOf } from "#server/platform/table.ts";
import type { PreparedResponse } from "../wires/openai-responses/prepared-response.ts";

/** The stored content of a response, sealed at rest. */
export interface StoredContent {
  /** The input items of its request, each with an id. */
  readonly input: readonly ResponseItem[];
  readonly response: ResponseObject;
  /** The request of a background response, until it has ended. */
  readonly request?: PreparedResponse;
}

interface Row {
  readonly id: string;
  readonly org_id: string;
}

const placeOf = ({ id, org_id }: Row) => ({
  table: "stored_response",
  column: "content",
  rowId: id,
  orgId: org_id,
});

export const sealContent = (sealer: Sealer, row: Row, content: StoredContent): string =>
  sealer.seal(JSON.stringify(content), placeOf(row));

export const openContent = (sealer: Sealer, row: Row & { readonly content: string }): StoredContent =>
  JSON.parse(sealer.open(row.content, placeOf(row))) as StoredContent;

/** The prefixes of item ids, by type. */
const prefixes = tableOf<string>({
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
});

/** Items as they are listed later: each with its type and an id. */
export const withIds = (items: readonly ResponseItem[]): ResponseItem[] =>
  items.map((item) => {
    const type = item.type ?? "message";
    return { ...item, type, id: item.id ?? `${prefixes[type] ?? "item"}_${randomHex(24)}` };
  });

export const idsOf = (items: readonly Readonly<Record<string, unknown>>[]): string[] =>
  items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
