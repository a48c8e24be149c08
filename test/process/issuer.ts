import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll } from "vitest";

/** What the issuer does differently from a correct answer. */
export interface Twist {
  readonly claims?: JWTPayload;
  /** Signs with a key that is not published. */
  readonly strangeKey?: boolean;
  /** `none`: no signature at all. */
  readonly algorithm?: "none";
  /** Laid over the discovered metadata. */
  readonly metadata?: object;
  /** What a path answers with instead. */
  readonly answers?: Readonly<Record<string, { readonly status: number; readonly body: string }>>;
  readonly userInfo?: object;
}

export interface Issuer {
  readonly url: string;
  twist: Twist;
  /** What was sent to the token endpoint last. */
  readonly exchanges: { authorization: string | undefined; form: URLSearchParams }[];
  /** The paths that were requested. */
  readonly paths: string[];
  /** The answer a browser would come back with for this authorization URL. */
  approve(authorizationUrl: string): URLSearchParams;
}

export const client = { id: "portolan", secret: "se:cret/+" } as const;

const unsigned = (claims: JWTPayload) =>
  [{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

/** An OpenID Connect issuer on loopback that signs in the person named by the test. */
export async function startIssuer(): Promise<Issuer> {
  const [own, strange] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "one", alg: "ES256", use: "sig" };
  const asked = new Map<string, { nonce: string; challenge: string }>();
  const exchanges: Issuer["exchanges"] = [];
  const paths: string[] = [];

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
    const path = req.url ?? "";
    paths.push(path);
    const send = (body: object | string, status = 200) => {
      res.writeHead(status, { "content-type": "application/json" });
      res.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    const { answers, metadata, userInfo } = issuer.twist;
    const answer = answers?.[path];
    if (answer) return send(answer.body, answer.status);
    if (path === "/.well-known/openid-configuration") {
      return send({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        ...metadata,
      });
    }
    if (path === "/jwks") return send({ keys: [jwk] });
    if (path === "/userinfo") return send(userInfo ?? {});
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
    paths,
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
