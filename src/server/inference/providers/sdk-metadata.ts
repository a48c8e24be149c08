import type { LanguageModelV4Content, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Json } from "../wires/shared/json.ts";
import { tierName } from "./answer-facts.ts";

type Source = Extract<LanguageModelV4Content, { type: "source" }>;

/** The service tier that a package found in an answer, whatever its provider; nothing if there is none. */
export function tierOf(metadata: SharedV4ProviderMetadata | undefined): Json {
  for (const { serviceTier } of Object.values(metadata ?? {})) {
    const name = tierName(serviceTier);
    if (name !== null) return { service_tier: name };
  }
  return {};
}

/**
 * A source as an annotation of OpenAI's; nothing for a document, which has no address. Packages do not say which text
 * it belongs to, and clients require positions, so they are 0.
 */
export function annotationsOf(source: Source): Json[] {
  if (source.sourceType !== "url") return [];
  const { url, title = "" } = source;
  return [{ type: "url_citation", url_citation: { url, title, start_index: 0, end_index: 0 } }];
}
