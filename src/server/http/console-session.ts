import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "#server/api/context.ts";
import type { Services } from "#server/api/services.ts";
import { callerOfSession } from "#server/auth/session.ts";
import type { SignIn } from "#server/auth/sign-in.ts";
import { asInteractive, queueAs, waitFor } from "#server/db/index.ts";
import { toAppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";

/** The id the server gave this request, or a new one that is sent with the response. */
export function requestIdOf(res: ServerResponse): string {
  const given = res.getHeader("x-request-id");
  if (typeof given === "string") return given;
  const made = uuidv7();
  res.setHeader("x-request-id", made);
  return made;
}

/** Aborted if the client disconnects before its answer is complete. */
function leavingSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The session of a console request, and the context for procedures. */
export type ConsoleSession = ReturnType<typeof createConsoleSession>;

/** `addressOf` returns the client's address; null if it is unknown. */
export function createConsoleSession(
  services: Services,
  signIn: SignIn,
  addressOf: (req: IncomingMessage) => string | null,
) {
  const { database } = services;

  const authenticate = async (req: IncomingMessage, res: ServerResponse) => {
    const { cookies, ...who } = await asInteractive(holderOf(req), () =>
      callerOfSession(signIn, database, req.headers),
    );
    if (who.caller) queueAs(who.caller.orgId);
    if (cookies.length > 0) res.appendHeader("set-cookie", cookies);
    return who;
  };

  /** Before the caller is known, requests of one address share a queue for the database. */
  const holderOf = (req: IncomingMessage): string => addressOf(req) ?? "";

  const contextOf = async (req: IncomingMessage, res: ServerResponse): Promise<Context> => {
    const who = await authenticate(req, res);
    const asker = { caller: who.caller, ipAddress: addressOf(req) };
    return {
      services,
      ...who,
      requestId: requestIdOf(res),
      ipAddress: asker.ipAddress,
      signal: leavingSignal(res),
      async countCall(operation) {
        try {
          await waitFor(services.rates.admit(asker, operation));
        } catch (error) {
          for (const [name, value] of Object.entries(toAppError(error).headers)) res.setHeader(name, value);
          throw error;
        }
      },
    };
  };

  return { authenticate, holderOf, contextOf, addressOf };
}
