import type { IncomingHttpHeaders } from "node:http";
import type { Config } from "#server/platform/env.ts";

/**
 * The page policy. Scripts run only with the nonce. Mantine sets positions and sizes in style attributes,
 * which no nonce can cover, hence inline styles; they cannot run code.
 */
export function pagePolicy(nonce: string, dev: boolean): string {
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

const usual = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

/** The address of the consent page contains an app's request; other pages must not see it. */
const ofConsent = { "referrer-policy": "no-referrer", "cache-control": "no-store" };
const isConsent = (url: string): boolean => /^\/auth(?:[/?]|$)/.test(url);

const oneYearSeconds = 31_536_000;

/** The headers of every page and file of the console, overriding Next's. */
export const headersOfPages =
  ({ PUBLIC_URL }: Pick<Config, "PUBLIC_URL">, dev: boolean) =>
  (url: string, nonce: string): Readonly<Record<string, string>> => ({
    ...usual,
    ...(isConsent(url) && ofConsent),
    "content-security-policy": pagePolicy(nonce, dev),
    ...(PUBLIC_URL?.startsWith("https:") && {
      "strict-transport-security": `max-age=${oneYearSeconds}; includeSubDomains`,
    }),
  });

/** Headers of the console's own navigation requests. */
const ofNavigation = [
  "rsc",
  "next-router-state-tree",
  "next-router-prefetch",
  "next-router-segment-prefetch",
  "next-url",
] as const;

/** Headers for a file: compression, and what a browser or cache already has of it. */
const ofFiles = [
  "accept-encoding",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "range",
] as const;

/**
 * The headers of a request that are passed to Next. It interprets some as its own routing, status and preview
 * instructions, so only those the console needs are passed.
 */
const chosenBy =
  (names: readonly string[]) =>
  (headers: IncomingHttpHeaders): Record<string, string> => {
    const chosen: Record<string, string> = {};
    for (const name of names) {
      const value = headers[name];
      if (typeof value === "string") chosen[name] = value;
    }
    return chosen;
  };
export const navigationHeaders = chosenBy(ofNavigation);
export const fileHeaders = chosenBy(ofFiles);
