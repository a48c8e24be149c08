/** Any origin will do: the path is resolved against it, and must still be on it afterwards. */
const origin = "http://own.invalid";

/** Browsers drop control characters and read a backslash as a slash: two readers would see two addresses. */
const misread = /[\p{Cc}\\]/u;

/**
 * Where a redirect may lead: the path, query and fragment of an address on this installation's own origin; `/` for
 * everything else. All redirects of the server and of the console take their target from here.
 */
export function ownPath(target: unknown): string {
  if (typeof target !== "string" || !target.startsWith("/") || misread.test(target)) return "/";
  if (!URL.canParse(target, origin)) return "/";
  const url = new URL(target, origin);
  const path = url.pathname + url.search + url.hash;
  // `/.//host` resolves to the path `//host`, which a browser reads as another origin.
  return url.origin === origin && /^\/(?!\/)/.test(path) ? path : "/";
}
