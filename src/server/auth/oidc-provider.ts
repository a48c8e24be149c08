import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import type { OidcIdentity } from "#server/accounts/index.ts";
import { clock } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";

/** Signatures with a key pair only: with a shared secret every client could vouch for anybody. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const answerBytesMax = 1024 * 1024;
const clockToleranceSeconds = 60;
const metadataTtlMs = 60 * 60 * 1000;

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
type Metadata = z.infer<typeof Metadata>;

const Tokens = z.object({ id_token: z.string(), access_token: z.string().optional() });

export interface OidcProvider {
  /** Where to send the browser. */
  authorizationUrl(parameters: Readonly<Record<string, string>>): Promise<string>;
  /** Exchanges the code and checks everything the answer claims. Throws when anything is not as it must be. */
  identify(answer: OidcAnswer): Promise<OidcIdentity>;
  close(): Promise<void>;
}

export interface OidcAnswer {
  readonly code: string;
  /** The `iss` of the redirect (RFC 9207), if there was one. */
  readonly iss: string | undefined;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly nonce: string;
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

function demandClient({ aud, azp }: JWTPayload, clientId: string): void {
  const several = Array.isArray(aud) && aud.length > 1;
  if ((several || azp !== undefined) && azp !== clientId) throw new Error("azp names another client");
}

/** The OpenID Connect provider of the settings; null without one. Nothing is asked of it until somebody signs in. */
export function openOidc(config: Config): OidcProvider | null {
  const {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId = "",
    OIDC_CLIENT_SECRET: clientSecret = "",
  } = config;
  if (issuer === undefined) return null;
  // The operator named this host, wherever it stands.
  const outbound = new Outbound(allowedHosts([new URL(issuer).hostname, ...config.ALLOW_PRIVATE_HOSTS]));

  async function ask(url: string, init: { body?: string; headers?: Record<string, string> } = {}) {
    const { oidcTimeoutMs } = limits.signIn;
    const response = await outbound.send({
      url: new URL(url),
      method: init.body === undefined ? "GET" : "POST",
      headers: { accept: "application/json", ...init.headers },
      ...(init.body !== undefined && { body: init.body }),
      firstByteTimeoutMs: oidcTimeoutMs,
      idleTimeoutMs: oidcTimeoutMs,
      deadlineMs: clock.monotonicMs() + oidcTimeoutMs,
    });
    const text = await response.text(answerBytesMax);
    return { status: response.status, text };
  }

  async function json(...request: Parameters<typeof ask>): Promise<unknown> {
    const { status, text } = await ask(...request);
    if (status !== 200) throw new Error(`${new URL(request[0]).pathname} of the provider answered ${status}`);
    return JSON.parse(text);
  }

  interface Known {
    readonly metadata: Metadata;
    readonly keys: ReturnType<typeof createRemoteJWKSet>;
    readonly untilMs: number;
  }
  let known: Known | null = null;

  async function discover(): Promise<Known> {
    if (known && clock.monotonicMs() < known.untilMs) return known;
    const address = `${issuer?.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const metadata = Metadata.parse(await json(address));
    if (metadata.issuer !== issuer) {
      throw new Error(`The provider calls itself ${metadata.issuer}; OIDC_ISSUER must be the same text`);
    }
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      [customFetch]: async (url) => {
        const { status, text } = await ask(String(url));
        return new Response(text, { status });
      },
    });
    known = { metadata, keys, untilMs: clock.monotonicMs() + metadataTtlMs };
    return known;
  }

  interface Credentials {
    readonly body: Record<string, string>;
    readonly headers: Record<string, string>;
  }
  function credentials({ token_endpoint_auth_methods_supported: methods }: Metadata): Credentials {
    if (methods && !methods.includes("client_secret_basic")) {
      return { body: { client_id: clientId, client_secret: clientSecret }, headers: {} };
    }
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
    return { body: {}, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
  }

  async function redeem({ metadata }: Known, { code, redirectUri, verifier }: OidcAnswer) {
    const { body, headers } = credentials(metadata);
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...body,
    });
    return Tokens.parse(
      await json(metadata.token_endpoint, {
        body: form.toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      }),
    );
  }

  /** The claims about the person; the address may be told only by the user info. */
  async function claimsOf(
    payload: JWTPayload,
    endpoint: string | undefined,
    accessToken: string | undefined,
  ) {
    if (textOf(payload.email) !== null || !endpoint || !accessToken) return payload;
    const more = await json(endpoint, { headers: { authorization: `Bearer ${accessToken}` } });
    const claims = z.looseObject({ sub: z.string() }).parse(more);
    if (claims.sub !== payload.sub) throw new Error("The user info is about somebody else");
    return claims;
  }

  return {
    async authorizationUrl(parameters) {
      const { metadata } = await discover();
      const url = new URL(metadata.authorization_endpoint);
      const all = {
        client_id: clientId,
        response_type: "code",
        scope: "openid email profile",
        ...parameters,
      };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return url.href;
    },

    async identify(answer) {
      const found = await discover();
      const { metadata, keys } = found;
      if (answer.iss !== undefined || metadata.authorization_response_iss_parameter_supported) {
        if (answer.iss !== issuer) throw new Error("The answer comes from another issuer");
      }
      const tokens = await redeem(found, answer);
      const { payload } = await jwtVerify(tokens.id_token, keys, {
        issuer,
        audience: clientId,
        algorithms,
        requiredClaims: ["sub", "exp", "iat"],
        clockTolerance: clockToleranceSeconds,
      });
      demandClient(payload, clientId);
      if (payload.nonce !== answer.nonce) throw new Error("The nonce is not the one that was sent");
      const claims = await claimsOf(payload, metadata.userinfo_endpoint, tokens.access_token);
      const email = textOf(claims.email);
      if (email === null) throw new Error("The provider tells no e-mail address");
      return {
        subject: `${issuer}#${payload.sub}`,
        email: email.toLowerCase(),
        emailVerified: claims.email_verified === true || claims.email_verified === "true",
        name: textOf(claims.name),
      };
    },

    close: () => outbound.close(),
  };
}
