import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll } from "vitest";

/** What the issuer answers with next; laid over an answer in good order. */
export interface Twist {
  readonly claims?: JWTPayload;
  /** Signs with a key that is not published. */
  readonly strangeKey?: boolean;
  /** `none`: no signature at all. */
  readonly algorithm?: "none";
}

export interface Issuer {
  readonly url: string;
  twist: Twist;
  /** What was sent to the token endpoint last. */
  readonly exchanges: { authorization: string | undefined; form: URLSearchParams }[];
  /** The answer a browser would come back with for this authorization URL. */
  approve(authorizationUrl: string): URLSearchParams;
}

export const client = { id: "portolan", secret: "se:cret/+" } as const;

const unsigned = (claims: JWTPayload) =>
  [{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

/** An OpenID Connect issuer on loopback that vouches for whoever the test names. */
export async function startIssuer(): Promise<Issuer> {
  const [own, strange] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "one", alg: "ES256", use: "sig" };
  const asked = new Map<string, { nonce: string; challenge: string }>();
  const exchanges: Issuer["exchanges"] = [];

  async function idToken(code: string): Promise<string> {
    const { claims, strangeKey, algorithm } = issuer.twist;
    const nowSeconds = Math.floor(Date.now() / 1000);
    const all = {
      iss: url,
      aud: client.id,
      sub: "subject-1",
      nonce: asked.get(code)?.nonce,
      iat: nowSeconds,
      exp: nowSeconds + 300,
      email: "grace@example.eu",
      email_verified: true,
      name: "Grace Hopper",
      ...claims,
    };
    if (algorithm === "none") return `${unsigned(all)}.`;
    const key = strangeKey ? strange.privateKey : own.privateKey;
    return new SignJWT(all).setProtectedHeader({ alg: "ES256", kid: "one" }).sign(key);
  }

  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const send = (body: object) => {
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify(body));
    };
    if (req.url === "/.well-known/openid-configuration") {
      return send({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
      });
    }
    if (req.url === "/jwks") return send({ keys: [jwk] });
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    exchanges.push({ authorization: req.headers.authorization, form });
    send({ id_token: await idToken(form.get("code") ?? ""), access_token: "x", token_type: "Bearer" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const issuer: Issuer = {
    url,
    twist: {},
    exchanges,
    approve(authorizationUrl) {
      const query = new URL(authorizationUrl).searchParams;
      const code = `code-${asked.size}`;
      asked.set(code, {
        nonce: query.get("nonce") ?? "",
        challenge: query.get("code_challenge") ?? "",
      });
      return new URLSearchParams({ code, state: query.get("state") ?? "" });
    },
  };
  return issuer;
}
