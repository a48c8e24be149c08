import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { projectDirectory } from "#server/platform/project.ts";

const scriptTag = '<script type="module"></script>';
const styleIn = /<style>(.*)<\/style>/s;
const imports = /^import [^;]*;\n/gm;

const textOf = (name: string): string => readFileSync(join(projectDirectory, "scripts", name), "utf8");

/** The code of the page: what verify.mjs uses of Node, verify.mjs itself without imports, and the form. */
export const verifyScript = (): string =>
  ["verify-page/browser.mjs", "verify.mjs", "verify-page/page.mjs"]
    .map((name) => textOf(name).replaceAll(imports, ""))
    .join("\n");

const sourceOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

interface VerifyPage {
  readonly html: string;
  readonly policy: string;
}

function makePage(): VerifyPage {
  const template = textOf("verify-page/page.html");
  const script = verifyScript();
  const [, style = ""] = styleIn.exec(template) ?? [];
  if (!template.includes(scriptTag) || style === "")
    throw new Error("The page to verify proofs has another form");
  const policy = [
    // Without connect-src, form-action and img-src: the page can send nothing.
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  // A function, because the script contains `$&`.
  return { html: template.replace(scriptTag, () => `<script type="module">${script}</script>`), policy };
}

let made: VerifyPage | undefined;

/**
 * Answers with a page that verifies proofs in the browser, also offline and without a session: it contains all of its
 * code, and its policy permits no connection.
 */
export function serveVerifyPage(res: ServerResponse): void {
  made ??= makePage();
  const { html, policy } = made;
  res.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(html),
    "content-security-policy": policy,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  });
  res.end(html);
}
