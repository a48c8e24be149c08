import { APIError, type BetterAuthOptions, betterAuth } from "better-auth";
import { prismaAdapter } from "better-auth/adapters/prisma";
import { createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { z } from "zod";
import { admitIdentity, auditPerson } from "#server/accounts/index.ts";
import { hashPassword, verifyPassword } from "#server/accounts/password.ts";
import { type Database, faultMet } from "#server/db/index.ts";
import { deriveKey } from "#server/platform/crypto.ts";
import type { Config } from "#server/platform/env.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { addressRange, isOneClient } from "#server/platform/peer-address.ts";
import { unavailableIn } from "#server/platform/unavailable.ts";
import { hashedSessions } from "./hashed-sessions.ts";
import { deviceCookieName, deviceSeconds, type KnownDevices } from "./known-device.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { oidcPaths, oidcSignIn } from "./oidc-sign-in.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

/** The header with the peer's address. The HTTP handler sets it and overwrites what a client sends. */
export const peerAddressHeader = "x-portolan-peer";

const paths = {
  signIn: "/sign-in/email",
  signOut: "/sign-out",
  changePassword: "/change-password",
  requestReset: "/request-password-reset",
  reset: "/reset-password",
} as const;
const basePath = "/api/auth";

interface AuthRoute {
  /** Whether it is an attempt to sign in. */
  readonly attempt: boolean;
  /** Whether it requires a session. */
  readonly session?: true;
}

/** All routes of better-auth that can be called over HTTP. */
export const authRoutes: ReadonlyMap<string, AuthRoute> = new Map<string, AuthRoute>([
  [`POST ${basePath}${paths.signIn}`, { attempt: true }],
  [`POST ${basePath}${paths.signOut}`, { attempt: false }],
  [`POST ${basePath}${paths.changePassword}`, { attempt: true, session: true }],
  [`POST ${basePath}${paths.requestReset}`, { attempt: true }],
  [`POST ${basePath}${paths.reset}`, { attempt: true }],
  [`POST ${basePath}${oidcPaths.start}`, { attempt: false }],
  [`GET ${basePath}${oidcPaths.callback}`, { attempt: true }],
]);

const times = { createdAt: "created_at", updatedAt: "updated_at" };

/** The names of better-auth's fields in our tables. */
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
    additionalFields: {
      activeOrgId: { type: "string", required: false, input: false, fieldName: "active_org_id" },
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
 * Without PUBLIC_URL the address is the one the browser used. A loopback server accepts loopback names only: under
 * any other name nobody can sign in, but reading the session must not fail.
 */
const baseUrl = ({ PUBLIC_URL, HOST, PORT }: Config): BetterAuthOptions["baseURL"] =>
  PUBLIC_URL ?? {
    allowedHosts: isLoopback(HOST) ? loopbackHosts : ["*"],
    protocol: "http",
    fallback: `http://localhost:${PORT}`,
  };

/** Whether cookies are sent over https only. */
export const isSecure = ({ PUBLIC_URL }: Pick<Config, "PUBLIC_URL">): boolean =>
  PUBLIC_URL?.startsWith("https:") ?? false;

const guessed: ReadonlySet<string | undefined> = new Set([paths.signIn, paths.changePassword]);

/**
 * For every route: too many passwords are refused before one is checked, a new session ends the browser's earlier one,
 * and a new password ends all other sessions and reset links.
 */
function hooks(
  { config, database, askForReset, devices }: SignInOptions,
  throttle: SignInThrottle,
): BetterAuthOptions["hooks"] {
  const trusted = config.TRUSTED_PROXIES.map(addressRange);
  const secure = isSecure(config);
  const deviceCookie = deviceCookieName(secure);
  /** The account of a password attempt, and its origin. */
  function attemptOf(
    ctx: {
      headers?: Headers;
      body?: { email?: unknown };
      getCookie(name: string): string | null | undefined;
    },
    signedIn: { readonly account: string; readonly sessionId: string } | null,
  ) {
    const account = signedIn?.account ?? String(ctx.body?.email ?? "");
    const address = ctx.headers?.get(peerAddressHeader) ?? null;
    const device = signedIn
      ? `session ${signedIn.sessionId}`
      : devices.idFor(ctx.getCookie(deviceCookie), account);
    return { account, origin: { address: isOneClient(address, trusted) ? address : null, device } };
  }
  return {
    before: createAuthMiddleware(async (ctx) => {
      if (ctx.path === paths.requestReset) {
        const { data: email } = z.email().safeParse(ctx.body?.email);
        if (email === undefined) throw new APIError("BAD_REQUEST", { message: "email: must be an address" });
        await askForReset(email);
        return { status: true, message: "If the address has an account, a link was sent to it" };
      }
      if (!guessed.has(ctx.path)) return;
      const person = ctx.path === paths.changePassword ? await getSessionFromCtx(ctx) : null;
      const signedIn = person && { account: person.user.email, sessionId: person.session.id };
      const { account, origin } = attemptOf(ctx, signedIn);
      const waitSeconds = Math.ceil((await throttle.admit(account, origin)) / 1000);
      if (waitSeconds > 0) {
        throw new APIError(
          "TOO_MANY_REQUESTS",
          { code: "RATE_LIMIT_EXCEEDED", message: `Too many attempts. Try again in ${waitSeconds} s.` },
          { "retry-after": String(waitSeconds) },
        );
      }
      if (person) return { context: { ...ctx, body: { ...ctx.body, revokeOtherSessions: true } } };
    }),
    after: createAuthMiddleware(async (ctx) => {
      const { newSession, authCookies, secret, internalAdapter } = ctx.context;
      if (!newSession) return;
      if (guessed.has(ctx.path)) {
        const { email: account } = newSession.user;
        const { origin } = attemptOf(ctx, null);
        await throttle.succeeded(account, {
          ...origin,
          device: devices.idFor(ctx.getCookie(deviceCookie), account),
        });
        ctx.setCookie(deviceCookie, devices.after(ctx.getCookie(deviceCookie), account), {
          ...{ secure, httpOnly: true, sameSite: "lax", path: "/" },
          maxAge: deviceSeconds,
        });
      }
      if (ctx.path === paths.changePassword) await recordNewPassword(database, newSession.user.id, "changed");
      const earlier = await ctx.getSignedCookie(authCookies.sessionToken.name, secret);
      if (earlier && earlier !== newSession.session.token) await internalAdapter.deleteSession(earlier);
    }),
  };
}

/** Deletes unused reset links together with the password they were for. */
async function recordNewPassword(
  database: Database,
  userId: string,
  how: "changed" | "reset",
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.verification.deleteMany({ where: { value: userId } });
    await auditPerson(tx, userId, `person.password_${how}`);
  });
}

/** Our error in the form that better-auth passes on. */
function asApiError(thrown: unknown): never {
  if (!(thrown instanceof AppError)) throw thrown;
  throw new APIError("SERVICE_UNAVAILABLE", { code: thrown.code, message: thrown.message }, thrown.headers);
}

interface SignInOptions {
  readonly config: Config;
  readonly database: Database;
  readonly log: Log;
  readonly oidc: OidcProvider | null;
  readonly devices: KnownDevices;
  /** Sends a reset link if the address has an account. */
  readonly askForReset: (email: string) => Promise<void>;
}

/** Opens signing in and out: better-auth over our database. Signing up requires an invitation. */
export function openSignIn(options: SignInOptions) {
  const { config, database, log, oidc } = options;
  const secure = isSecure(config);
  const { sessionIdleMs } = limits.signIn;
  const admit = (identity: Parameters<typeof admitIdentity>[1]) =>
    admitIdentity(database, identity, config.OIDC_SIGN_UP);
  return betterAuth({
    ...tables,
    appName: "Portolan",
    basePath,
    baseURL: baseUrl(config),
    secret: deriveKey(config.encryptionKeys[0], "sign-in").toString("base64url"),
    database: hashedSessions(prismaAdapter(database.prisma, { provider: "postgresql", transaction: true })),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: limits.passwords.lengthMin,
      maxPasswordLength: limits.passwords.lengthMax,
      password: {
        hash: (password) => hashPassword(password).catch(asApiError),
        verify: (pair) => verifyPassword(pair).catch(asApiError),
      },
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: ({ user }) => recordNewPassword(database, user.id, "reset"),
    },
    session: { ...tables.session, expiresIn: sessionIdleMs / 1000, updateAge: 300 },
    verification: { ...tables.verification, storeIdentifier: "hashed" },
    // The HTTP handler of these routes limits requests by address.
    rateLimit: { enabled: false },
    hooks: hooks(options, new SignInThrottle(database)),
    plugins: oidc ? [oidcSignIn({ provider: oidc, secure, admit, log })] : [],
    telemetry: { enabled: false },
    onAPIError: {
      // Without this it writes refusals to the console instead of our log.
      onError: (error) => {
        // better-auth would print it and answer 500.
        const unavailable = unavailableIn(error) ?? (error instanceof APIError ? null : faultMet());
        if (unavailable) throw unavailable;
        if (error instanceof APIError && error.statusCode < 500) return;
        log.error({ event: "sign_in", error }, "A sign-in request failed");
      },
    },
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
