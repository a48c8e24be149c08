import { expiryBody, type LimitDraft, limitBody, limitDraftOf, noLimit } from "#app/_lib/key-limits.ts";
import type { ApiKey, ApiKeyCreate } from "#contract/key.ts";
import { inferencePermissions, type Permission } from "#contract/permission.ts";

/** A key as the form holds it. */
export interface KeyDraft extends LimitDraft {
  readonly name: string;
  readonly include_byok_in_limit: boolean;
  /** Null = the installation's default. */
  readonly requests_per_minute: number | null;
  /** A choice of `expiryChoices` or a time. */
  readonly ends: string;
  /** Null = every model. */
  readonly allowed_models: readonly string[] | null;
  readonly permissions: readonly Permission[];
  readonly workspace_id: string | null;
}

export const newDraft: KeyDraft = {
  ...noLimit,
  name: "",
  include_byok_in_limit: false,
  requests_per_minute: null,
  ends: "",
  allowed_models: null,
  permissions: inferencePermissions,
  workspace_id: null,
};

export const draftOf = (key: ApiKey): KeyDraft => ({
  ...limitDraftOf(key),
  name: key.name,
  include_byok_in_limit: key.include_byok_in_limit,
  requests_per_minute: key.requests_per_minute,
  ends: key.expires_at ?? "",
  allowed_models: key.allowed_models,
  permissions: key.permissions,
  workspace_id: key.workspace_id,
});

/** What is sent of a new key. */
export const bodyOf = (draft: KeyDraft) =>
  ({
    name: draft.name.trim(),
    ...limitBody(draft),
    include_byok_in_limit: draft.include_byok_in_limit,
    requests_per_minute: draft.requests_per_minute,
    expires_at: expiryBody(draft.ends),
    allowed_models: draft.allowed_models && [...draft.allowed_models],
    permissions: [...draft.permissions],
    workspace_id: draft.workspace_id,
  }) satisfies Partial<ApiKeyCreate>;

type Body = ReturnType<typeof bodyOf>;

/** What is sent of a changed key: only the fields that differ. Others may hold more than the person could give today. */
export function changeOf(key: ApiKey, draft: KeyDraft): Partial<Body> {
  const before: Readonly<Record<string, unknown>> = bodyOf(draftOf(key));
  const isNew = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before[name]);
  return Object.fromEntries(Object.entries(bodyOf(draft)).filter(isNew));
}
