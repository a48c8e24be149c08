import { posix } from "node:path";
import { documentPathOf } from "#contract/document-path.ts";

/** Where a link leads: a page of the console, another site, or nothing that a page shows. */
export type Target = { readonly kind: "page" | "site"; readonly href: string } | { readonly kind: "none" };

/** The target of a link in the document `file`, relative to the folder of the file, as `budgets.md#limits`. */
export function targetOf(file: string, link: string): Target {
  if (/^https?:\/\//.test(link)) return { kind: "site", href: link };
  const [name = "", anchor] = link.split("#");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (name === "") return { kind: "page", href: hash };
  const path = documentPathOf(posix.join(posix.dirname(file), name));
  return path === null ? { kind: "none" } : { kind: "page", href: `${path}${hash}` };
}
