import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import next from "next";
import type { Config } from "#server/platform/env.ts";
import { randomToken } from "#server/platform/ids.ts";
import { type Lane, requestIdOf } from "./console-lanes.ts";

export type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface Console {
  readonly page: Lane;
  /** Hot reloading's web socket; null in production. */
  readonly upgrade: Upgrade | null;
  close(): Promise<void>;
}

const projectDirectory = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * The page policy. Scripts run only with the nonce. Mantine sets positions and sizes in style attributes,
 * which no nonce can cover, hence inline styles; they cannot run code.
 */
function pagePolicy(nonce: string, dev: boolean): string {
  const directives = {
    "default-src": "'self'",
    "script-src": `'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": `'self'${dev ? " ws:" : ""}`,
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ");
}

const pageHeaders = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

/** The consent page's address holds what an app asked with; no other page shall learn it (R31). */
const consentHeaders = { "referrer-policy": "no-referrer", "cache-control": "no-store" };
const isConsent = (url = "/"): boolean => /^\/auth(?:[/?]|$)/.test(url);

const oneYearSeconds = 31_536_000;

/** Starts Next inside this process. `page` answers whatever no other lane took. */
export async function createConsole(config: Config, { dev }: { dev: boolean }): Promise<Console> {
  const app = next({ dev, dir: projectDirectory, hostname: config.HOST, port: config.PORT, quiet: !dev });
  await app.prepare();
  const render = app.getRequestHandler();
  const upgrade = app.getUpgradeHandler();
  const https = config.PUBLIC_URL?.startsWith("https:") ?? false;

  return {
    async page(req, res) {
      const requestId = requestIdOf(res);
      const policy = pagePolicy(randomToken(16), dev);
      // Next reads the nonce from the request's policy and stamps its scripts; pages show the request id.
      req.headers["content-security-policy"] = policy;
      req.headers["x-request-id"] = requestId;
      const headers = { ...pageHeaders, ...(isConsent(req.url) && consentHeaders) };
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      res.setHeader("content-security-policy", policy);
      if (https) res.setHeader("strict-transport-security", `max-age=${oneYearSeconds}; includeSubDomains`);
      await render(req, res);
    },
    upgrade: dev ? (req, socket, head) => void upgrade(req, socket, head) : null,
    close: () => app.close(),
  };
}
