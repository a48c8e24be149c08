import type { IncomingMessage, ServerResponse } from "node:http";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import type { Services } from "#server/api/services.ts";
import { assertHasOrganisation, type SessionHolder } from "#server/auth/session.ts";
import { asInteractive } from "#server/db/index.ts";
import { playgroundKey } from "#server/keys/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { Unavailable } from "#server/platform/unavailable.ts";
import { inferenceHandlers } from "./inference-handler.ts";

const settingsUnread = () =>
  new Unavailable("Keys cannot be read at the moment", {
    retryAfterMs: limits.database.retryAfterMs.unavailable,
  });

export const playgroundPrefix = "/api/playground";

/**
 * `POST /api/playground/<operation>`: inference for a person with a session, like the API's, under the key of their
 * playground.
 */
export async function servePlayground(
  services: Services,
  session: () => Promise<SessionHolder>,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  const path = (req.url ?? "").split("?")[0]?.slice(playgroundPrefix.length) ?? "";
  const operation = req.method === "POST" ? inferenceHandlers.get(path) : undefined;
  if (!operation) throw new AppError("NOT_FOUND", "No such operation");
  // Only this uses the database, so only this has its time limit: the model may take longer.
  const caller = await asInteractive("", () => playgroundCaller(services, session));
  await operation(services, caller, req, res, requestId);
}

/** The person as a caller of the API: the key of their playground. */
async function playgroundCaller(
  services: Services,
  session: () => Promise<SessionHolder>,
): Promise<Authorized<"inference:use">> {
  const holder = await session();
  assertHasOrganisation(holder);
  const person = authorize(holder.caller, "inference:use", "workspace");
  if (person.kind !== "person") throw new AppError("FORBIDDEN", "The playground requires a signed-in person");
  const id = await playgroundKey(services.database, person, services.config.KEY_PREFIX);
  let caller = services.callerOfKey(id);
  if (!caller) {
    // Just created, by this request or in another tab.
    const seen = await services.refreshSnapshot();
    caller = services.callerOfKey(id);
    if (!caller && !seen) throw settingsUnread();
  }
  if (!caller)
    throw new AppError("FORBIDDEN", "The key `Playground` is disabled or expired. Enable it under API keys");
  return authorize(caller, "inference:use", "workspace");
}
