import type { IncomingMessage, ServerResponse } from "node:http";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { toNodeHandler } from "better-auth/node";
import { type Caller, unauthorized } from "#server/access/caller.ts";
import type { Context } from "#server/api/context.ts";
import { appRouter } from "#server/api/root.ts";
import type { Services } from "#server/api/services.ts";
import { answerable, appErrorOf } from "#server/api/trpc.ts";
import { withOrigin } from "#server/audit/origin.ts";
import { callerOfSession } from "#server/auth/session.ts";
import { authRoutes, peerAddressHeader, type SignIn } from "#server/auth/sign-in.ts";
import { asInteractive, faultMet, queueAs, waitFor } from "#server/db/index.ts";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { AppError, errorEnvelope, toAppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { bodyBounds, holdFor } from "./body-bounds.ts";
import { createEntrance } from "./entrance.ts";
import { readJson } from "./json-body.ts";
import { servePlayground } from "./playground-handler.ts";
import { assertSameOrigin } from "./same-origin.ts";
import { respondFetched, trpcRequest } from "./trpc-handler.ts";

export type ConsoleHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const trpcEndpoint = "/api/trpc";
const batchMax = 10;

const pathOf = (req: IncomingMessage): string => (req.url ?? "/").split("?")[0] ?? "/";

/** The id the server gave this request, or a new one that goes out with the response. */
export function requestIdOf(res: ServerResponse): string {
  const given = res.getHeader("x-request-id");
  if (typeof given === "string") return given;
  const made = uuidv7();
  res.setHeader("x-request-id", made);
  return made;
}

/** Aborted once the client has left before its answer was complete. */
function leavingSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

/**
 * The console's handlers: procedures under `/api/trpc` and inference under `/api/playground` for the session's
 * person, sign-in under `/api/auth`.
 */
export function createConsoleHandlers(
  services: Services,
  signIn: SignIn,
): { trpc: ConsoleHandler; auth: ConsoleHandler; playground: ConsoleHandler } {
  const { config, database, log } = services;

  /** Guards a handler and answers in the envelope what it threw. */
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

  const authenticated = async (req: IncomingMessage, res: ServerResponse) => {
    const { cookies, ...who } = await asInteractive(holderOf(req), () =>
      callerOfSession(signIn, database, req.headers),
    );
    if (who.caller) queueAs(who.caller.orgId);
    if (cookies.length > 0) res.appendHeader("set-cookie", cookies);
    return who;
  };

  const entrance = createEntrance(services);
  const { addressOf } = entrance;

  /** Until it is known who asks, those of one address wait for the database together. */
  const holderOf = (req: IncomingMessage): string => addressOf(req) ?? "";

  const contextOf = async (req: IncomingMessage, res: ServerResponse): Promise<Context> => {
    const who = await authenticated(req, res);
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

  const trpc = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const known: { caller: Caller | null; hold: ByteHold | null } = { caller: null, hold: null };
    const read = async () => {
      known.hold = holdFor(services, known.caller, addressOf(req));
      return (await readJson(req, bodyBounds.management, known.hold)).bytes;
    };
    try {
      const response = await fetchRequestHandler({
        endpoint: trpcEndpoint,
        req: trpcRequest(req, res, read),
        router: appRouter,
        maxBatchSize: batchMax,
        createContext: async () => {
          // What it throws is answered as what a procedure throws.
          const context = await contextOf(req, res).catch((error: unknown) => {
            throw answerable(error);
          });
          known.caller = context.caller;
          return context;
        },
        // What a call of a batch is told to wait, the whole batch is.
        responseMeta: ({ errors }) => ({
          headers: Object.assign({}, ...errors.map((error) => appErrorOf(error).headers)),
        }),
        onError: ({ error, path }) => {
          if (appErrorOf(error).status < 500) return;
          log.error(
            { request_id: requestIdOf(res), path, error: error.cause ?? error },
            "A procedure failed",
          );
        },
      });
      await respondFetched(res, response);
    } finally {
      known.hold?.release();
    }
  };

  const playground: ConsoleHandler = (req, res) =>
    servePlayground(services, () => authenticated(req, res), req, res, requestIdOf(res));

  /** Sign-in answers 500 to whatever it meets; of a database that cannot be asked the client is told. */
  const handleAuth = toNodeHandler(async (request) => {
    const response = await signIn.handler(request);
    const fault = response.status >= 500 ? faultMet() : null;
    if (fault) throw fault;
    return response;
  });
  const auth = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = pathOf(req);
    const route = authRoutes.get(`${req.method} ${path}`);
    if (!route) throw new AppError("NOT_FOUND", "No such operation");
    const ipAddress = addressOf(req);
    if (route.session && (await authenticated(req, res)).person === null)
      throw unauthorized("Sign in to the console");
    const hold = holdFor(services, null, ipAddress);
    try {
      // It is read before the request counts as under way: a slow body takes nobody's place.
      if (req.method === "POST") {
        const { bytes } = await readJson(req, bodyBounds.entrance, hold);
        // Where the stream has been read, better-auth takes what stands here.
        Object.assign(req, { body: bytes.toString("utf8") });
      }
      req.headers[peerAddressHeader] = ipAddress ?? "";
      // It is kept with the session.
      req.headers["user-agent"] = maskSecrets(req.headers["user-agent"] ?? "");
      const origin = { requestId: requestIdOf(res), ipAddress };
      await entrance.pass(req, route.attempt, () => withOrigin(origin, () => handleAuth(req, res)));
    } finally {
      hold.release();
    }
  };

  return {
    trpc: guarded((req, res) => asInteractive(holderOf(req), () => trpc(req, res))),
    auth: guarded((req, res) => asInteractive(holderOf(req), () => auth(req, res))),
    playground: guarded(playground),
  };
}
