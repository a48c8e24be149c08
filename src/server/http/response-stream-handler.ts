import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { QueryBoolean } from "#contract/common.ts";
import { IncludeQuery } from "#contract/stored-responses.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import { asInteractive, waitFor } from "#server/db/index.ts";
import { followResponse } from "#server/inference/index.ts";
import { validationError } from "#server/platform/errors.ts";
import { queryOf } from "./query.ts";
import { setRateState } from "./rate-state.ts";
import { withParameters } from "./rest-handler.ts";
import { pathParameter } from "./route-table.ts";
import { respondEvents } from "./sse.ts";

const path = /^\/responses\/([^/]+)$/;

const Query = z.object({
  response_id: z.string(),
  stream: QueryBoolean,
  starting_after: z
    .string()
    .regex(/^\d{1,9}$/, "must be the sequence number of an event")
    .transform(Number)
    .optional(),
  ...IncludeQuery.shape,
});

/** The id in the path of `GET /responses/{id}?stream=true`; null for any other request. */
export function streamedResponse(req: IncomingMessage, asked: string, query: string): string | null {
  const id = req.method === "GET" ? path.exec(asked)?.[1] : undefined;
  if (id === undefined) return null;
  const stream = new URLSearchParams(query).get("stream");
  return stream === "true" || stream === "1" ? id : null;
}

/** Sends the past and future events of a response. */
export async function serveResponseStream(
  services: Services,
  caller: Authorized<"inference:use">,
  res: ServerResponse,
  { id, query, requestId }: { id: string; query: string; requestId: string },
): Promise<void> {
  const named = { response_id: pathParameter("response_id", id) };
  const parsed = Query.safeParse(withParameters(queryOf(query), named));
  if (!parsed.success) throw validationError(parsed.error);
  const { response_id: responseId, starting_after: after = -1 } = parsed.data;
  const leaving = new AbortController();
  if (res.closed) leaving.abort();
  res.once("close", () => leaving.abort());
  const frames = await asInteractive(caller.orgId, async () => {
    setRateState(res, await waitFor(services.rates.admit({ caller, ipAddress: null })));
    return followResponse(services.responses, caller, responseId, after, leaving.signal);
  });
  await respondEvents(res, frames, requestId, {});
}
