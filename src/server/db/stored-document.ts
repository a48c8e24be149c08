import { canonicalText } from "#server/platform/canonical-json.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { storableJson } from "#server/platform/storable.ts";
import type { StoredDocument } from "./decision-basis.ts";

/**
 * A value as canonical JSON (RFC 8785) and its hash. Characters that the database cannot store are replaced: names in
 * the preferences of a request may contain them.
 */
export function storedDocument(value: unknown): StoredDocument {
  const body = canonicalText(JSON.parse(storableJson(value)));
  return { hash: sha256Hex(body), body };
}
