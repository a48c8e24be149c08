import { toNodeHandler } from "better-auth/node";
import { unauthorized } from "#server/access/caller.ts";
import type { Services } from "#server/api/services.ts";
import { withOrigin } from "#server/audit/origin.ts";
import { authRoutes, peerAddressHeader, type SignIn } from "#server/auth/sign-in.ts";
import { faultMet } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";
import { bodyBounds, holdFor } from "./body-bounds.ts";
import type { ConsoleHandler } from "./console-handlers.ts";
import { type ConsoleSession, requestIdOf } from "./console-session.ts";
import type { createEntrance } from "./entrance.ts";
import { readJson } from "./json-body.ts";

/** Answers sign-in under `/api/auth`. Rejects with the error for the client. */
export function createAuthHandler(
  services: Services,
  signIn: SignIn,
  session: ConsoleSession,
  entrance: ReturnType<typeof createEntrance>,
): ConsoleHandler {
  /** better-auth answers 500 to every error; an unavailable database is reported as such. */
  const handleAuth = toNodeHandler(async (request) => {
    const response = await signIn.handler(request);
    const fault = response.status >= 500 ? faultMet() : null;
    if (fault) throw fault;
    return response;
  });
  return async (req, res) => {
    const path = (req.url ?? "/").split("?")[0] ?? "/";
    const route = authRoutes.get(`${req.method} ${path}`);
    if (!route) throw new AppError("NOT_FOUND", "No such operation");
    const ipAddress = session.addressOf(req);
    if (route.session && (await session.authenticate(req, res)).person === null)
      throw unauthorized("Sign in to the console");
    const hold = holdFor(services, null, ipAddress);
    try {
      // The body is read before the request counts as running, so that slow bodies do not use up places.
      if (req.method === "POST") {
        const { bytes } = await readJson(req, bodyBounds.entrance, hold);
        // better-auth reads this property if the stream was read already.
        Object.assign(req, { body: bytes.toString("utf8") });
      }
      req.headers[peerAddressHeader] = ipAddress ?? "";
      // Stored with the session.
      req.headers["user-agent"] = maskSecrets(req.headers["user-agent"] ?? "");
      const origin = { requestId: requestIdOf(res), ipAddress };
      await entrance.pass(req, route.attempt, () => withOrigin(origin, () => handleAuth(req, res)));
    } finally {
      hold.release();
    }
  };
}
