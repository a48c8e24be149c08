import { APIError, type BetterAuthOptions, betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { createAuthMiddleware } from "better-auth/api";
import { hashPassword, verifyPassword } from "better-auth/crypto";
import type { Database } from "#server/db/client.ts";
import { deriveKey } from "#server/platform/crypto.ts";
import type { Config } from "#server/platform/env.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import type { Log } from "#server/platform/log.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

export { hashPassword, verifyPassword };

const hourSeconds = 3600;
const sessionIdleSeconds = 12 * hourSeconds;
/** However busy, a session ends seven days after its sign-in (R42). */
export const sessionMaxMs = 7 * 24 * hourSeconds * 1000;

/** The header in which the auth lane tells the peer's address; whatever a client sends in it is overwritten. */
export const peerAddressHeader = "x-portolan-peer";

const times = { createdAt: "created_at", updatedAt: "updated_at" };

/** How better-auth's names stand in our tables. */
const tables = {
  user: { modelName: "user", fields: { emailVerified: "email_verified", ...times } },
  session: {
    modelName: "session",
    fields: {
      userId: "user_id",
      ipAddress: "ip_address",
      userAgent: "user_agent",
      expiresAt: "expires_at",
      ...times,
    },
  },
  account: {
    modelName: "account",
    fields: {
      accountId: "account_id",
      providerId: "provider_id",
      userId: "user_id",
      accessToken: "access_token",
      refreshToken: "refresh_token",
      idToken: "id_token",
      accessTokenExpiresAt: "access_token_expires_at",
      refreshTokenExpiresAt: "refresh_token_expires_at",
      ...times,
    },
  },
  verification: { modelName: "verification", fields: { expiresAt: "expires_at", ...times } },
} as const satisfies Partial<BetterAuthOptions>;

const loopbackHosts = ["localhost", "localhost:*", "127.0.0.1", "127.0.0.1:*", "[::1]", "[::1]:*"];
const isLoopback = (host: string) => ["localhost", "127.0.0.1", "::1"].includes(host);

/**
 * Without PUBLIC_URL the address is the one the browser used; a loopback server takes loopback names only.
 * Under any other name nobody can sign in, but asking who is signed in must not fail.
 */
const baseUrl = ({ PUBLIC_URL, HOST, PORT }: Config): BetterAuthOptions["baseURL"] =>
  PUBLIC_URL ?? {
    allowedHosts: isLoopback(HOST) ? loopbackHosts : ["*"],
    protocol: "http",
    fallback: `http://localhost:${PORT}`,
  };

const signInPath = "/sign-in/email";

/** Refuses attempts that come too fast, before any password is looked at. */
function throttleHooks(throttle: SignInThrottle): BetterAuthOptions["hooks"] {
  const attemptOf = (ctx: { body?: { email?: unknown }; headers?: Headers }) => ({
    account: String(ctx.body?.email ?? ""),
    address: ctx.headers?.get(peerAddressHeader) ?? "",
  });
  return {
    before: createAuthMiddleware(async (ctx) => {
      if (ctx.path !== signInPath) return;
      const { account, address } = attemptOf(ctx);
      const waitSeconds = Math.ceil(throttle.admit(account, address) / 1000);
      if (waitSeconds === 0) return;
      throw new APIError(
        "TOO_MANY_REQUESTS",
        { code: "RATE_LIMIT_EXCEEDED", message: `Too many attempts. Try again in ${waitSeconds} s.` },
        { "retry-after": String(waitSeconds) },
      );
    }),
    after: createAuthMiddleware(async (ctx) => {
      if (ctx.path !== signInPath || !ctx.context.newSession) return;
      const { account, address } = attemptOf(ctx);
      throttle.succeeded(account, address);
    }),
  };
}

/** Opens signing in with e-mail and password: better-auth over our database. Sign-up is closed. */
export function openSignIn(config: Config, database: Database, log: Log) {
  const secure = config.PUBLIC_URL?.startsWith("https:") ?? false;
  return betterAuth({
    ...tables,
    appName: "Portolan",
    basePath: "/api/auth",
    baseURL: baseUrl(config),
    secret: deriveKey(config.encryptionKey, "sign-in").toString("base64url"),
    database: prismaAdapter(database.prisma, { provider: "postgresql", transaction: true }),
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 8 },
    session: { ...tables.session, expiresIn: sessionIdleSeconds, updateAge: 300 },
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      customRules: { [signInPath]: { window: 60, max: 30 } },
    },
    hooks: throttleHooks(new SignInThrottle()),
    telemetry: { enabled: false },
    logger: {
      level: "warn",
      log: (level, message) => log[level === "error" ? "error" : "debug"]({ event: "sign_in" }, message),
    },
    advanced: {
      useSecureCookies: false,
      ipAddress: { ipAddressHeaders: [peerAddressHeader] },
      database: { generateId: () => uuidv7() },
      cookies: {
        session_token: {
          name: secure ? "__Host-portolan_session" : "portolan_session",
          attributes: { secure, httpOnly: true, sameSite: "lax", path: "/" },
        },
      },
    },
  });
}
export type SignIn = ReturnType<typeof openSignIn>;
