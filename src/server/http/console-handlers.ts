import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "#server/api/services.ts";
import type { SignIn } from "#server/auth/sign-in.ts";
import { asInteractive } from "#server/db/index.ts";
import { errorEnvelope, toAppError } from "#server/platform/errors.ts";
import { createAuthHandler } from "./auth-handler.ts";
import { createConsoleSession, requestIdOf } from "./console-session.ts";
import { createEntrance } from "./entrance.ts";
import { servePackageFileToConsole } from "./package-file-handler.ts";
import { servePlayground } from "./playground-handler.ts";
import { assertSameOrigin } from "./same-origin.ts";
import { serveTrpc } from "./trpc-handler.ts";

export type ConsoleHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * The console's handlers: procedures under `/api/trpc` and inference under `/api/playground` for the session's
 * person, their evidence packages under `/api/evidence-packages`, and sign-in under `/api/auth`.
 */
export function createConsoleHandlers(
  services: Services,
  signIn: SignIn,
): Record<"trpc" | "auth" | "playground" | "packageFile", ConsoleHandler> {
  const { config, log } = services;

  const entrance = createEntrance(services);
  const session = createConsoleSession(services, signIn, entrance.addressOf);
  const serveAuth = createAuthHandler(services, signIn, session, entrance);

  /** Guards a handler and answers its errors with the envelope. */
  const guarded =
    (handler: ConsoleHandler): ConsoleHandler =>
    async (req, res) => {
      const requestId = requestIdOf(res);
      try {
        res.setHeader("cache-control", "no-store");
        assertSameOrigin(req, config.PUBLIC_URL);
        await handler(req, res);
      } catch (thrown) {
        const error = toAppError(thrown);
        if (error.status >= 500)
          log.error({ request_id: requestId, error: thrown }, "A console request failed");
        if (res.headersSent) return void res.destroy();
        res.writeHead(error.status, { ...error.headers, "content-type": "application/json" });
        res.end(JSON.stringify(errorEnvelope(error, requestId)));
      }
    };

  /** Guards a handler that uses the database, with one budget for all its waits. */
  const interactive = (handler: ConsoleHandler): ConsoleHandler =>
    guarded((req, res) => asInteractive(session.holderOf(req), () => handler(req, res)));

  return {
    trpc: interactive((req, res) => serveTrpc(services, session, req, res)),
    auth: interactive(serveAuth),
    packageFile: guarded((req, res) => servePackageFileToConsole(services, session, req, res)),
    playground: guarded((req, res) =>
      servePlayground(services, () => session.authenticate(req, res), req, res, requestIdOf(res)),
    ),
  };
}
