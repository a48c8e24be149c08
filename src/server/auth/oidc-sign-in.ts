import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";
import { ownPath } from "#contract/own-path.ts";
import type { OidcIdentity } from "#server/accounts/index.ts";
import { randomToken } from "#server/platform/ids.ts";
import type { Log } from "#server/platform/log.ts";
import type { OidcProvider } from "./oidc-provider.ts";

export const oidcPaths = { start: "/sign-in/oidc", callback: "/oidc/callback" } as const;

const attemptSeconds = 600;

/** What a browser stores while the person signs in at the provider. */
const Attempt = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), next: z.string() });
type Attempt = z.infer<typeof Attempt>;

/** Where to go afterwards. Anything but a text of reasonable length is ignored. */
const Next = z.string().max(2048).catch("/overview");

const readAttempt = (cookie: string | null | false | undefined): Attempt | null => {
  if (!cookie) return null;
  const parsed = Attempt.safeParse(JSON.parse(Buffer.from(cookie, "base64url").toString("utf8")));
  return parsed.success ? parsed.data : null;
};

interface OidcSignInOptions {
  readonly provider: OidcProvider;
  /** Whether cookies travel over https only. */
  readonly secure: boolean;
  /** The person an identity belongs to, or why it does not give access. */
  readonly admit: (identity: OidcIdentity) => Promise<{ userId: string } | { refusal: string }>;
  readonly log: Log;
}

/** Signing in through an OpenID Connect provider: authorization code with PKCE, state and nonce, once per attempt. */
export function oidcSignIn({ provider, secure, admit, log }: OidcSignInOptions) {
  const cookieName = secure ? "__Host-portolan_oidc" : "portolan_oidc";
  const cookie = { secure, httpOnly: true, sameSite: "lax", path: "/" } as const;
  const refusedAt = (reason: string) => `/sign-in?error=${reason}`;

  return {
    id: "oidc-sign-in",
    endpoints: {
      startOidc: createAuthEndpoint(
        oidcPaths.start,
        { method: "POST", body: z.object({ next: Next.optional() }) },
        async (ctx) => {
          const attempt: Attempt = {
            state: randomToken(32),
            nonce: randomToken(32),
            verifier: randomToken(32),
            next: ctx.body.next ?? "/overview",
          };
          const redirectUri = `${ctx.context.baseURL}${oidcPaths.callback}`;
          const url = await provider.authorizationUrl({ ...attempt, redirectUri });
          const value = Buffer.from(JSON.stringify(attempt)).toString("base64url");
          await ctx.setSignedCookie(cookieName, value, ctx.context.secret, {
            ...cookie,
            maxAge: attemptSeconds,
          });
          return ctx.json({ url });
        },
      ),

      finishOidc: createAuthEndpoint(
        oidcPaths.callback,
        {
          method: "GET",
          query: z.object({
            state: z.string().optional(),
            code: z.string().optional(),
            error: z.string().optional(),
            iss: z.string().optional(),
          }),
        },
        async (ctx) => {
          const attempt = readAttempt(await ctx.getSignedCookie(cookieName, ctx.context.secret));
          ctx.setCookie(cookieName, "", { ...cookie, maxAge: 0 });
          const { state, code, iss, error } = ctx.query;
          if (!attempt || state !== attempt.state) throw ctx.redirect(ownPath(refusedAt("oidc_state")));
          if (!code) {
            log.info(
              { event: "sign_in", reason: error?.slice(0, 100) },
              "The provider did not sign the person in",
            );
            throw ctx.redirect(ownPath(refusedAt("oidc_denied")));
          }
          const redirectUri = `${ctx.context.baseURL}${oidcPaths.callback}`;
          const identity = await provider
            .identify({ code, state, iss }, { ...attempt, redirectUri })
            .catch((thrown: unknown) => {
              log.warn({ event: "sign_in", error: thrown }, "A sign-in through the provider was refused");
              throw ctx.redirect(ownPath(refusedAt("oidc_failed")));
            });
          const admitted = await admit(identity);
          if ("refusal" in admitted) throw ctx.redirect(ownPath(refusedAt(admitted.refusal)));
          const { internalAdapter } = ctx.context;
          const user = await internalAdapter.findUserById(admitted.userId);
          const session = user && (await internalAdapter.createSession(user.id));
          if (!session) throw ctx.redirect(ownPath(refusedAt("oidc_failed")));
          await setSessionCookie(ctx, { session, user });
          throw ctx.redirect(ownPath(attempt.next));
        },
      ),
    },
  } satisfies BetterAuthPlugin;
}
