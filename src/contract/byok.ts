import { z } from "zod";
import { answered } from "./answered.ts";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { KeyHash, KeyName } from "./key.ts";
import { list } from "./list.ts";

const Provider = z.string().min(1, "must name a provider").max(100);
const providerSlug = "Slug of the provider, such as `mistral`.";
/** Written and never read again: answers carry no more than the last four characters of a long one. */
export const Secret = z
  .string()
  .trim()
  .min(8, "must have 8 characters at least")
  .max(4096, "may have 4,096 characters at most")
  .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters without spaces");
const secretText =
  "API key of the provider; for Amazon Bedrock also `<access key id>:<secret access key>[:<session token>]`.";
const Models = list(z.string().min(1).max(200)).max(200, "may name 200 models at most");
const Keys = list(KeyHash).max(200, "may name 200 keys at most");

const settings = {
  disabled: z.boolean().describe("Whether the credential is disabled; it is then not used."),
  is_fallback: z
    .boolean()
    .describe("Whether it is tried after the installation's credential instead of before it."),
  shared: z
    .boolean()
    .describe(
      "Whether it is the installation's own: it then serves every organisation at the installation's prices, in place " +
        "of a credential from the environment. Only for the organisation that runs the installation.",
    ),
  sort_order: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe("Order in which credentials of one provider are tried, smallest first."),
  allowed_models: Models.nullable().describe(
    "IDs of the models it is used for; null for every model, empty for none.",
  ),
  allowed_api_key_hashes: Keys.nullable().describe(
    "Hashes of the API keys it is used for; null for every key, empty for none.",
  ),
};

/** What a check found, in words of ours. */
export const CredentialCheck = z
  .object({
    success: z.boolean().describe("Whether the provider accepts the credential."),
    status: z
      .number()
      .int()
      .nullable()
      .describe("HTTP status of the provider's answer; null if there was none."),
    message: z.string().describe("Result of the check in words."),
  })
  .meta({ id: "CredentialCheck" });
export type CredentialCheck = z.infer<typeof CredentialCheck>;

export const LastCheck = CredentialCheck.extend({ at: Timestamp.describe("Time of the check.") }).meta({
  id: "LastCredentialCheck",
});
export type LastCheck = z.infer<typeof LastCheck>;

/** What OpenRouter's clients require and credentials do not have. */
const notUsed = z.null().describe("Always null; OpenRouter's clients require the field.");
const notSupported = z.literal(false).describe("Always false; OpenRouter's clients require the field.");

export const ProviderCredential = z
  .object({
    id: Uuid.describe("ID of the credential."),
    provider: z.string().describe(providerSlug),
    name: z.string().describe("Name of the credential."),
    last_four: z
      .string()
      .nullable()
      .describe("Last four characters of the key, or of the access key ID; null if it is too short."),
    ...settings,
    sort_order: answered(settings.sort_order),
    allowed_models: answered(settings.allowed_models),
    allowed_api_key_hashes: answered(settings.allowed_api_key_hashes),
    last_used: Timestamp.nullable().describe(
      "Time a request was last sent with it, to the minute; null if none was.",
    ),
    last_check: LastCheck.nullable().describe(
      "Result of the last check of this key; null if it was never checked.",
    ),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the stored credential cannot be read. If that is its secret, requests of the organisation to the provider " +
          "are refused and not sent with the installation's credential. Null if it can be read.",
      ),
    label: z.string().describe("Abbreviated form of the key: its last four characters, if they are shown."),
    workspace_id: notUsed,
    allowed_user_ids: notUsed,
    declared_zdr: notUsed,
    is_byok_only: notSupported,
    is_required: notSupported,
    created_at: Timestamp.describe("Time the credential was added."),
    updated_at: Timestamp.describe("Time the credential was last changed."),
  })
  .meta({ id: "ProviderCredential" });
export type ProviderCredential = z.infer<typeof ProviderCredential>;

export const ProviderCredentialCreate = z.strictObject({
  provider: Provider.describe(providerSlug),
  name: KeyName.describe("Name of the credential."),
  key: Secret.describe(secretText),
  ...z.object(settings).partial().shape,
});
export type ProviderCredentialCreate = z.infer<typeof ProviderCredentialCreate>;

/** Only what is sent changes; a `key` that is not sent stays as it is. */
export const ProviderCredentialUpdate = z.strictObject({
  id: Uuid.describe("ID of the credential."),
  name: KeyName.optional().describe("New name of the credential."),
  key: Secret.optional().describe(`${secretText} Replaces the current one.`),
  ...z.object(settings).partial().shape,
});
export type ProviderCredentialUpdate = z.infer<typeof ProviderCredentialUpdate>;

/** A credential that is tested without being stored. */
export const CredentialCheckRequest = z.strictObject({
  provider: Provider.describe(providerSlug),
  key: Secret.describe(secretText),
});
export type CredentialCheckRequest = z.infer<typeof CredentialCheckRequest>;

export const ProviderCredentialQuery = Paging.extend({
  provider: Provider.describe("Only credentials for this provider, by its slug.").optional(),
});
export type ProviderCredentialQuery = z.infer<typeof ProviderCredentialQuery>;
