import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import { toNodeHandler } from "better-auth/node";
import type { Context } from "#server/api/context.ts";
import { appRouter } from "#server/api/root.ts";
import type { Services } from "#server/api/services.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import { withOrigin } from "#server/audit/origin.ts";
import { callerOfSession } from "#server/auth/session.ts";
import { authRoutes, peerAddressHeader, type SignIn } from "#server/auth/sign-in.ts";
import { AppError, errorEnvelope, toAppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { createEntrance } from "./entrance.ts";
import { servePlayground } from "./playground-lane.ts";
import { demandSameOrigin } from "./same-origin.ts";
import { unlessAway } from "./unless-away.ts";

export type Lane = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const trpcPrefix = "/api/trpc/";
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
 * The console's lanes: procedures under `/api/trpc` and inference under `/api/playground` for the session's
 * person, sign-in under `/api/auth`.
 */
export function createConsoleLanes(
  services: Services,
  signIn: SignIn,
): { trpc: Lane; auth: Lane; playground: Lane } {
  const { config, database, log } = services;

  /** Guards a lane and answers in the envelope what it threw. */
  const guarded =
    (lane: Lane): Lane =>
    async (req, res) => {
      const requestId = requestIdOf(res);
      try {
        res.setHeader("cache-control", "no-store");
        demandSameOrigin(req, config.PUBLIC_URL);
        await lane(req, res);
      } catch (thrown) {
        const error = toAppError(thrown);
        if (error.status >= 500)
          log.error({ request_id: requestId, error: thrown }, "A console request failed");
        if (res.headersSent) return void res.destroy();
        res.writeHead(error.status, { ...error.headers, "content-type": "application/json" });
        res.end(JSON.stringify(errorEnvelope(error, requestId)));
      }
    };

  const recognised = async (req: IncomingMessage, res: ServerResponse) => {
    const { cookies, ...who } = await unlessAway(services, callerOfSession(signIn, database, req.headers));
    if (cookies.length > 0) res.appendHeader("set-cookie", cookies);
    return who;
  };

  const entrance = createEntrance(services);
  const { addressOf } = entrance;

  const contextOf = async (req: IncomingMessage, res: ServerResponse): Promise<Context> => {
    const who = await recognised(req, res);
    const asker = { caller: who.caller, ipAddress: addressOf(req) };
    return {
      services,
      ...who,
      requestId: requestIdOf(res),
      ipAddress: asker.ipAddress,
      signal: leavingSignal(res),
      unlessAway: (work) => unlessAway(services, work),
      async countCall(operation) {
        try {
          await services.rates.admit(asker, operation);
        } catch (error) {
          for (const [name, value] of Object.entries(toAppError(error).headers)) res.setHeader(name, value);
          throw error;
        }
      },
    };
  };

  const trpc: Lane = (req, res) =>
    nodeHTTPRequestHandler({
      req,
      res,
      router: appRouter,
      path: pathOf(req).slice(trpcPrefix.length),
      maxBodySize: limits.body.managementBytesMax,
      maxBatchSize: batchMax,
      createContext: () => contextOf(req, res),
      onError: ({ error, path }) => {
        if (appErrorOf(error).status < 500) return;
        log.error({ request_id: requestIdOf(res), path, error: error.cause ?? error }, "A procedure failed");
      },
    });

  const playground: Lane = async (req, res) =>
    servePlayground(services, (await recognised(req, res)).caller, req, res, requestIdOf(res));

  const handleAuth = toNodeHandler(signIn);
  const auth: Lane = async (req, res) => {
    const path = pathOf(req);
    const route = authRoutes.get(`${req.method} ${path}`);
    if (!route) throw new AppError("NOT_FOUND", "No such operation");
    const length = req.method === "GET" ? 0 : Number(req.headers["content-length"] ?? Number.NaN);
    if (!(length <= limits.body.authBytesMax)) {
      throw new AppError("PAYLOAD_TOO_LARGE", "Send a body of known length, 64 KiB at most");
    }
    const ipAddress = addressOf(req);
    req.headers[peerAddressHeader] = ipAddress ?? "";
    // It is kept with the session.
    req.headers["user-agent"] = maskSecrets(req.headers["user-agent"] ?? "");
    const origin = { requestId: requestIdOf(res), ipAddress };
    await entrance.pass(req, route.attempt, () => withOrigin(origin, () => handleAuth(req, res)));
  };

  return { trpc: guarded(trpc), auth: guarded(auth), playground: guarded(playground) };
}
