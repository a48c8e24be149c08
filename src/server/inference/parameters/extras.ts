import { AppError } from "#server/platform/errors.ts";
import type { Json } from "../wires/shared/json.ts";

/** Fields by which proxies and SDKs take a host, a key or a header. Those are the operator's to set. */
const connection =
  /^(litellm|azure|aws|vertex)_|^(api_?(key|base|type|version)|base_?url|url|host|proxy|(default_|extra_)?headers|extra_(query|body)|authorization|organization|project|credentials?|custom_llm_provider|mock_response)$/i;

/** How many fields a request may have beyond those of its schema. */
const extrasMax = 64;

/**
 * Throws BAD_REQUEST if a field that the schema does not know names a host, a key or a header, or if there are too many
 * of them. `known` are the names of the schema.
 */
export function assertExtras(request: Json, known: ReadonlySet<string>): void {
  let count = 0;
  for (const name in request) {
    if (known.has(name)) continue;
    if (connection.test(name))
      throw new AppError(
        "BAD_REQUEST",
        `${name}: is not accepted in a request; the operator sets up providers`,
        {
          param: name,
        },
      );
    count++;
  }
  if (count > extrasMax)
    throw new AppError(
      "BAD_REQUEST",
      `The request has ${count} unknown fields; ${extrasMax} are the maximum`,
    );
}
