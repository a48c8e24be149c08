import type { Destination } from "#contract/destination.ts";
import type { ConfigField, Typed } from "./config-schema.ts";
import { configOf, typedByDefault, typedOf } from "./config-schema.ts";

/** A destination as a form holds it. */
export interface Draft {
  readonly name: string;
  readonly typed: Typed;
  readonly privacy_mode: boolean;
  /** Between 0.0001 and 1. */
  readonly sampling_rate: number;
  readonly residency: string | null;
  readonly workspace_id: string | null;
  /** Empty = the requests of every key. */
  readonly api_key_filter: readonly string[];
}

export const newDraft = (name: string, fields: readonly ConfigField[]): Draft => ({
  name,
  typed: typedByDefault(fields),
  privacy_mode: false,
  sampling_rate: 1,
  residency: null,
  workspace_id: null,
  api_key_filter: [],
});

export const draftOf = (saved: Destination, fields: readonly ConfigField[]): Draft => ({
  name: saved.name,
  typed: typedOf(fields, saved.config),
  privacy_mode: saved.privacy_mode,
  sampling_rate: Number(saved.sampling_rate),
  residency: saved.residency,
  workspace_id: saved.workspace_id,
  api_key_filter: saved.api_key_filter ?? [],
});

/** What is sent of a draft, new or changed. */
export const bodyOf = (draft: Draft, fields: readonly ConfigField[], saved?: Destination) => ({
  name: draft.name.trim(),
  config: configOf(fields, draft.typed, saved?.config),
  privacy_mode: draft.privacy_mode,
  sampling_rate: String(draft.sampling_rate),
  residency: draft.residency,
  workspace_id: draft.workspace_id,
  api_key_filter: draft.api_key_filter.length === 0 ? null : [...draft.api_key_filter],
});
