import { uuidv7 } from "#server/platform/ids.ts";
import type { SendOptions, TestServer } from "./server.ts";

/** The pair of RFC 7636, appendix B. */
const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** A code for an application at a host, not exchanged yet. */
export async function codeFor({ post }: TestServer, host: string, options?: SendOptions): Promise<string> {
  const preference = { callback_url: `https://${host}/callback`, code_challenge };
  const made = await post("/auth/keys/code", preference, options);
  return ((await made.json()) as { code: string }).code;
}

export const exchange = ({ post }: TestServer, code: string): Promise<Response> =>
  post("/auth/keys", { code, code_verifier }, { key: null });

/** Gives an application a key over the PKCE flow and returns the key. */
export async function keyFor(server: TestServer, host: string, options?: SendOptions): Promise<string> {
  const issued = await exchange(server, await codeFor(server, host, options));
  if (!issued.ok) throw new Error(`The code was not exchanged: ${issued.status}`);
  return ((await issued.json()) as { key: string }).key;
}

/** Connects an application nobody has seen before; its host. */
export async function connectApp(server: TestServer, options?: SendOptions): Promise<string> {
  const host = `${uuidv7()}.example.eu`;
  await keyFor(server, host, options);
  return host;
}
