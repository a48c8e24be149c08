import type { IncomingMessage, ServerResponse } from "node:http";
import { CompletionRequest } from "#contract/completions.ts";
import type { Services } from "#server/api/services.ts";
import { demand } from "#server/auth/caller.ts";
import { complete } from "#server/inference/index.ts";
import { validationError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { demandJson, parseJson, readBody } from "./json-body.ts";
import { respondJson } from "./respond.ts";
import { respondEvents } from "./sse.ts";

const titleCharsMax = 256;
const sessionCharsMax = 256;

function titleOf(req: IncomingMessage): string | null {
  const title = req.headers["x-title"];
  return typeof title === "string" ? title.slice(0, titleCharsMax) : null;
}

/** `x-session-id` says the same as the body's `session_id`, which wins (interface.md 10.5). */
function withSession(req: IncomingMessage, request: CompletionRequest): CompletionRequest {
  const session = req.headers["x-session-id"];
  return typeof session === "string" && request.session_id == null
    ? { ...request, session_id: session.slice(0, sessionCharsMax) }
    : request;
}

/** `POST /completions` without the way round of procedures: one parse, one call, one answer (design D2b). */
export async function serveCompletions(
  services: Services,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  const caller = demand(services.recognise(req.headers), "inference:use");
  demandJson(req);
  const parsed = CompletionRequest.safeParse(parseJson(await readBody(req, limits.body.inferenceBytesMax)));
  if (!parsed.success) throw validationError(parsed.error);
  const leaving = new AbortController();
  res.on("close", () => {
    if (!res.writableFinished) leaving.abort();
  });
  const answer = await complete(services.inference, caller, withSession(req, parsed.data), {
    requestId,
    appTitle: titleOf(req),
    signal: leaving.signal,
  });
  if (answer.chunks) await respondEvents(res, answer.chunks, requestId, answer.headers);
  else respondJson(res, 200, JSON.stringify(answer.body), requestId, answer.headers);
}
