import { z } from "zod";
import { answered } from "./answered.ts";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { KeyHash, KeyName } from "./key.ts";
import { list } from "./list.ts";

const Provider = z.string().min(1, "must name a provider").max(100);
/** Written and never read again: answers carry no more than the last four characters of a long one. */
const Secret = z
  .string()
  .trim()
  .min(8, "must have 8 characters at least")
  .max(4096, "may have 4,096 characters at most")
  .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters without spaces");
const Models = list(z.string().min(1).max(200)).max(200, "may name 200 models at most");
const Keys = list(KeyHash).max(200, "may name 200 keys at most");

const settings = {
  disabled: z.boolean(),
  /** `true` = tried after the installation's credential, not before it. */
  is_fallback: z.boolean(),
  /**
   * `true` = the installation's own: it serves every organisation at the installation's prices, in place of one from
   * the environment. Only for the organisation that runs the installation.
   */
  shared: z.boolean(),
  /** Of several credentials for one provider the smaller is tried first. */
  sort_order: z.int().min(0).max(1_000_000),
  /** `null` = for every model; `[]` = for none. */
  allowed_models: Models.nullable(),
  /** `null` = for every key; `[]` = for none. */
  allowed_api_key_hashes: Keys.nullable(),
};

/** What a check found, in words of ours. `status` is the provider's HTTP status, null when there was none. */
export const CredentialCheck = z
  .object({ success: z.boolean(), status: z.number().int().nullable(), message: z.string() })
  .meta({ id: "CredentialCheck" });
export type CredentialCheck = z.infer<typeof CredentialCheck>;

export const LastCheck = CredentialCheck.extend({ at: Timestamp }).meta({ id: "LastCredentialCheck" });
export type LastCheck = z.infer<typeof LastCheck>;

export const ProviderCredential = z
  .object({
    id: Uuid,
    provider: z.string(),
    name: z.string(),
    /** Its last characters, to tell it from others; `null` for a short one. */
    last_four: z.string().nullable(),
    ...settings,
    sort_order: answered(settings.sort_order),
    allowed_models: answered(settings.allowed_models),
    allowed_api_key_hashes: answered(settings.allowed_api_key_hashes),
    /** When a request was last sent with it, to the minute. */
    last_used: Timestamp.nullable(),
    /** What its last check found; `null` when this key was not checked. */
    last_check: LastCheck.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "ProviderCredential" });
export type ProviderCredential = z.infer<typeof ProviderCredential>;

export const ProviderCredentialCreate = z.strictObject({
  provider: Provider,
  name: KeyName,
  key: Secret,
  ...z.object(settings).partial().shape,
});
export type ProviderCredentialCreate = z.infer<typeof ProviderCredentialCreate>;

/** Only what is sent changes; a `key` that is not sent stays as it is. */
export const ProviderCredentialUpdate = z.strictObject({
  id: Uuid,
  name: KeyName.optional(),
  key: Secret.optional(),
  ...z.object(settings).partial().shape,
});
export type ProviderCredentialUpdate = z.infer<typeof ProviderCredentialUpdate>;

/** A credential that is not kept: it is asked about and forgotten. */
export const CredentialCheckRequest = z.strictObject({ provider: Provider, key: Secret });
export type CredentialCheckRequest = z.infer<typeof CredentialCheckRequest>;

export const ProviderCredentialQuery = Paging.extend({ provider: Provider.optional() });
export type ProviderCredentialQuery = z.infer<typeof ProviderCredentialQuery>;
