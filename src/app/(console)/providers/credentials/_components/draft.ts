import type {
  ProviderCredential,
  ProviderCredentialCreate,
  ProviderCredentialUpdate,
} from "#contract/byok.ts";

/** A credential as a form holds it. */
export interface Draft {
  readonly provider: string;
  readonly name: string;
  /** What was typed into the fields of the secret, by their names. */
  readonly typed: Readonly<Record<string, string>>;
  readonly shared: boolean;
  readonly is_fallback: boolean;
  readonly sort_order: number;
  /** Empty = every model. */
  readonly allowed_models: readonly string[];
  /** Empty = every key. */
  readonly allowed_api_key_hashes: readonly string[];
}

export const newDraft = (provider: string): Draft => ({
  provider,
  name: "",
  typed: {},
  shared: false,
  is_fallback: false,
  sort_order: 0,
  allowed_models: [],
  allowed_api_key_hashes: [],
});

export const draftOf = (saved: ProviderCredential): Draft => ({
  provider: saved.provider,
  name: saved.name,
  typed: {},
  shared: saved.shared,
  is_fallback: saved.is_fallback,
  sort_order: saved.sort_order,
  allowed_models: saved.allowed_models ?? [],
  allowed_api_key_hashes: saved.allowed_api_key_hashes ?? [],
});

const listed = (chosen: readonly string[]) => (chosen.length === 0 ? null : [...chosen]);

/** Whom it serves and when. The installation's own serves everybody, so nothing else is said of it. */
const settingsOf = ({ shared, ...draft }: Draft) => ({
  name: draft.name.trim(),
  sort_order: draft.sort_order,
  shared,
  is_fallback: !shared && draft.is_fallback,
  allowed_models: shared ? null : listed(draft.allowed_models),
  allowed_api_key_hashes: shared ? null : listed(draft.allowed_api_key_hashes),
});

export const createOf = (draft: Draft, key: string): ProviderCredentialCreate => ({
  provider: draft.provider,
  key,
  ...settingsOf(draft),
});

/** Only what was changed. So a list that allows nothing, which the form cannot express, is not overwritten. */
export function updateOf(draft: Draft, key: string, saved: ProviderCredential): ProviderCredentialUpdate {
  const before = draft.shared ? saved : settingsOf(draftOf(saved));
  const changed = Object.entries(settingsOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return { id: saved.id, ...Object.fromEntries(changed), ...(key !== "" && { key }) };
}
