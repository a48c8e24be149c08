import type { IncomingMessage } from "node:http";
import { AppError } from "#server/platform/errors.ts";

/** Methods that change nothing and may therefore come from any site. */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

const ownOrigin = (req: IncomingMessage, publicUrl: string | undefined): string =>
  publicUrl ? new URL(publicUrl).origin : `http://${req.headers.host ?? ""}`;

/**
 * Refuses a changing request that a page of another site could have made: it must be JSON and come from our own
 * pages, according to `Sec-Fetch-Site` or, in older browsers, `Origin`.
 */
export function assertSameOrigin(req: IncomingMessage, publicUrl: string | undefined): void {
  if (safeMethods.has(req.method ?? "")) return;
  const type = req.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send JSON with content-type: application/json");
  }
  const site = req.headers["sec-fetch-site"];
  const sameOrigin =
    site === undefined ? req.headers.origin === ownOrigin(req, publicUrl) : site === "same-origin";
  if (!sameOrigin) throw new AppError("FORBIDDEN", "Only the console's own pages can request this");
}
