import type {
  ClientAuth,
  Configuration,
  CustomFetch,
  IDToken,
  ServerMetadata,
  UserInfoResponse,
} from "openid-client";
import type { OidcIdentity } from "#server/accounts/index.ts";
import { clock } from "#server/platform/clock.ts";
import type { Config } from "#server/platform/env.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { guardedFetch, withReasons } from "./oidc-fetch.ts";

/** Signatures with a key pair only: a shared secret would let every client sign for any person. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const clockToleranceSeconds = 60;
const metadataTtlMs = 60 * 60 * 1000;

/** What a browser stores while the person signs in at the provider. */
export interface OidcAttempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. */
  readonly verifier: string;
}

/** What the provider's redirect carried. */
export interface OidcAnswer {
  readonly code: string;
  readonly state: string;
  /** The issuer (RFC 9207), if the provider names it. */
  readonly iss: string | undefined;
}

export interface OidcProvider {
  /** Where to send the browser. */
  authorizationUrl(attempt: OidcAttempt): Promise<string>;
  /** Exchanges the code and checks everything the answer claims. Throws if any check fails. */
  identify(answer: OidcAnswer, attempt: OidcAttempt): Promise<OidcIdentity>;
  close(): Promise<void>;
}

type OidcSettings = Pick<
  Config,
  "OIDC_ISSUER" | "OIDC_CLIENT_ID" | "OIDC_CLIENT_SECRET" | "ALLOW_PRIVATE_HOSTS"
>;

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Only sign-ins through a provider need the library, so it is loaded for the first of them. */
const loadLibrary = () => import("openid-client");

/** The library also encodes `-`, `_` and `.`; providers that decode nothing would refuse such a client. */
const headerAuthentication =
  (clientSecret: string): ClientAuth =>
  (_, { client_id }, __, headers) => {
    const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(clientSecret)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  };

/** Reads the provider's metadata. Its keys are read when the first token is verified. */
async function discover(
  issuer: string,
  { OIDC_CLIENT_ID: clientId = "", OIDC_CLIENT_SECRET: clientSecret = "" }: OidcSettings,
  fetch: CustomFetch,
): Promise<Configuration> {
  const library = await loadLibrary();
  const address = new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  // The address guard decides which hosts may be reached without TLS.
  const execute = [library.allowInsecureRequests];
  const options = { [library.customFetch]: fetch, execute };
  const discovered = await library.discovery(address, clientId, undefined, library.None(), options);
  const metadata: ServerMetadata = discovered.serverMetadata();
  if (metadata.issuer !== issuer) {
    throw new Error(`The provider calls itself ${metadata.issuer}; OIDC_ISSUER must be the same text`);
  }
  const methods = metadata.token_endpoint_auth_methods_supported;
  const configuration = new library.Configuration(
    { ...metadata, id_token_signing_alg_values_supported: algorithms },
    clientId,
    { [library.clockTolerance]: clockToleranceSeconds },
    methods && !methods.includes("client_secret_basic")
      ? library.ClientSecretPost(clientSecret)
      : headerAuthentication(clientSecret),
  );
  configuration[library.customFetch] = fetch;
  library.allowInsecureRequests(configuration);
  // Without this the library trusts the connection alone and leaves the signature of the token unchecked.
  library.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** The claims about the person. The address may be in the user info only. */
async function claimsOf(
  configuration: Configuration,
  token: IDToken,
  accessToken: string,
): Promise<IDToken | UserInfoResponse> {
  if (textOf(token.email) !== null || !configuration.serverMetadata().userinfo_endpoint) return token;
  const library = await loadLibrary();
  return library.fetchUserInfo(configuration, accessToken, token.sub);
}

async function identify(
  configuration: Configuration,
  { code, state, iss }: OidcAnswer,
  { redirectUri, state: expectedState, nonce: expectedNonce, verifier: pkceCodeVerifier }: OidcAttempt,
): Promise<OidcIdentity> {
  const library = await loadLibrary();
  const callback = new URL(redirectUri);
  callback.search = new URLSearchParams({ code, state, ...(iss !== undefined && { iss }) }).toString();
  const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
  const tokens = await library.authorizationCodeGrant(configuration, callback, checks);
  const token = tokens.claims();
  if (!token) throw new Error("The provider sent no identity token");
  // The library checks this only where a token is for several clients.
  if (token.azp !== undefined && token.azp !== configuration.clientMetadata().client_id) {
    throw new Error("The token was issued to another client");
  }
  const claims = await claimsOf(configuration, token, tokens.access_token);
  const email = textOf(claims.email);
  if (email === null) throw new Error("The provider sends no e-mail address");
  const verified: unknown = claims.email_verified;
  return {
    subject: `${token.iss}#${token.sub}`,
    email: email.toLowerCase(),
    emailVerified: verified === true || verified === "true",
    name: textOf(claims.name),
  };
}

/** The OpenID Connect provider of the settings; null without one. No request is made before the first sign-in. */
export function openOidc(settings: OidcSettings): OidcProvider | null {
  const { OIDC_ISSUER: issuer } = settings;
  if (issuer === undefined) return null;
  // The operator named this host, so it may be private.
  const outbound = new Outbound(allowedHosts([new URL(issuer).hostname, ...settings.ALLOW_PRIVATE_HOSTS]));
  const fetch = guardedFetch(outbound);
  let known: { readonly configuration: Configuration; readonly untilMs: number } | null = null;

  async function configured(): Promise<Configuration> {
    if (known && clock.monotonicMs() < known.untilMs) return known.configuration;
    const configuration = await discover(issuer ?? "", settings, fetch);
    known = { configuration, untilMs: clock.monotonicMs() + metadataTtlMs };
    return configuration;
  }

  return {
    authorizationUrl: ({ redirectUri, state, nonce, verifier }) =>
      withReasons(async () => {
        const configuration = await configured();
        const library = await loadLibrary();
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: "openid email profile",
          state,
          nonce,
          code_challenge: await library.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        return url.href;
      }),
    identify: (answer, attempt) => withReasons(async () => identify(await configured(), answer, attempt)),
    close: () => outbound.close(),
  };
}
