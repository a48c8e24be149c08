import type { IncomingMessage } from "node:http";
import { uuidv7 } from "#server/platform/ids.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";

const acceptableId = /^[A-Za-z0-9_-]{8,128}$/;

/** The id a client gave its request, when it may stand in records; else a new one. */
export function receivedRequestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  // A key that somebody sent as an id would stand in every record.
  const isAcceptable = typeof given === "string" && acceptableId.test(given) && maskSecrets(given) === given;
  return isAcceptable ? given : uuidv7();
}
