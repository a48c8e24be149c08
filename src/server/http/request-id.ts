import type { IncomingMessage } from "node:http";
import { uuidv7 } from "#server/platform/ids.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";

const acceptableId = /^[A-Za-z0-9_-]{8,128}$/;

/** The client's request id, if it may be stored; else a new one. */
export function receivedRequestId(req: IncomingMessage): string {
  const given = req.headers["x-request-id"];
  // An API key sent as an id would be stored in every record.
  const isAcceptable = typeof given === "string" && acceptableId.test(given) && maskSecrets(given) === given;
  return isAcceptable ? given : uuidv7();
}
