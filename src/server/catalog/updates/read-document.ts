import type { CatalogueUpdateCreate } from "#contract/catalogue-update.ts";
import { documentCharsMax } from "#contract/catalogue-update.ts";
import { clock } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { SettingsError } from "#server/platform/env.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";
import type { CatalogueFiles, DocumentCatalogue } from "../load.ts";
import { outdated } from "./base-catalogue.ts";

/** A document that was given, and where it comes from. */
export interface GivenDocument {
  readonly text: string;
  readonly source: string;
  readonly asOf: string;
  readonly digest: string;
}

type Param = "document" | "url";

const wrong = (param: Param, message: string, problems?: readonly string[]): AppError =>
  new AppError("BAD_REQUEST", `${param}: ${message}`, { param, ...(problems && { metadata: { problems } }) });

/** The reason in words of ours: nothing of what a resolver or server said. */
const failures: Partial<Record<OutboundError["failure"], string>> = {
  timeout: "the server did not answer in time",
  too_large: `the file has more than ${documentCharsMax} bytes`,
  cut: "the answer was cut off",
};

async function fetchDocument(outbound: Outbound, address: string): Promise<string> {
  const { updateTimeoutMs } = limits.catalogue;
  try {
    const response = await outbound.send({
      url: new URL(address),
      method: "GET",
      headers: { accept: "application/json" },
      firstByteTimeoutMs: updateTimeoutMs,
      idleTimeoutMs: updateTimeoutMs,
      deadlineMs: clock.monotonicMs() + updateTimeoutMs,
    });
    if (response.status === 200) return await response.text(documentCharsMax);
    response.abort();
    throw wrong("url", `the server answered with status ${response.status}; redirects are not followed`);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.failure === "blocked") throw wrong("url", error.message);
    throw wrong("url", failures[error.failure] ?? "the server could not be reached");
  }
}

/** Addresses may contain a token in the query, which lists and the audit log must not show. */
const withoutQuery = (address: string): string => {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
};

function parsed(text: string, param: Param): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What the parser says quotes the text, which may come from another server.
    throw wrong(param, "is not JSON");
  }
}

const problemsShown = 20;

/** Builds the catalogue of a document. Throws BAD_REQUEST with every problem of it. */
export function catalogueWith(files: CatalogueFiles, text: string, param: Param): DocumentCatalogue {
  try {
    return files.withUpdate(parsed(text, param));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const problems = error.problems.slice(0, problemsShown);
    throw wrong(param, `the catalogue cannot be used: ${problems.join("; ")}`, problems);
  }
}

/** Reads and validates a document. Throws BAD_REQUEST. */
export async function readDocument(
  { files, outbound }: { readonly files: CatalogueFiles; readonly outbound: Outbound },
  { document, name, url }: CatalogueUpdateCreate,
): Promise<GivenDocument> {
  const param = url === undefined ? "document" : "url";
  const text = url === undefined ? (document ?? "") : await fetchDocument(outbound, url);
  const { as_of: asOf } = catalogueWith(files, text, param).document;
  const problem = outdated({ as_of: asOf }, files);
  if (problem !== null) throw wrong(param, problem);
  const source = url === undefined ? (name ?? "Uploaded document") : withoutQuery(url);
  return { text, source, asOf, digest: sha256Hex(text) };
}
