import { z } from "zod";
import { JsonObject } from "./bounded.ts";
import { ProviderCredentialCreate } from "./byok.ts";
import { CatalogueEntriesCreate, CatalogueEntryUpdate, type EntrySection } from "./catalogue-entry.ts";
import { modelId, slug } from "./catalogue-values.ts";
import { Uuid } from "./common.ts";
import { type ConfigurationForm, formOf } from "./configuration-form.ts";
import { BookedPrice, isConfirmed, notConfirmed } from "./price-book.ts";
import { PriceEntry } from "./price-entry.ts";
import { SecretReference } from "./secret-reference.ts";
import { TagName } from "./tag.ts";

const names: Record<EntrySection, { readonly schema: z.ZodType<string>; readonly description: string }> = {
  provider: { schema: slug, description: "Slug of the provider." },
  model: { schema: modelId, description: "ID of the model, such as `our/qwen3-8b`." },
  endpoint: {
    schema: z
      .string({ error: "must be a text" })
      .max(300, "may have 300 characters at most")
      .regex(
        /^[a-z0-9]+([.-][a-z0-9]+)*(\/[a-z0-9]+([.-][a-z0-9]+)*)?:[\w.-]+\/[\w.-]+$/,
        'must be provider:model or provider/variant:model, such as "our-gpu:our/qwen3-8b"',
      ),
    description: "ID of the endpoint: `provider:model` or `provider/variant:model`.",
  },
};

/** An entry of the catalogue. Its name takes the place of the fields that it consists of. */
const entryForm = (section: EntrySection): ConfigurationForm =>
  formOf({
    create: z.strictObject({
      name: names[section].schema.describe(names[section].description),
      scope: CatalogueEntriesCreate.shape.scope,
      entry: JsonObject.default({}).describe(
        "The fields that it sets, as in a catalogue file, without those of its name.",
      ),
      enabled: z.boolean().default(true).describe("Whether the entry is used."),
      source: CatalogueEntryUpdate.shape.source,
      as_of: CatalogueEntryUpdate.shape.as_of,
    }),
    references: {},
  });

/** What a file describes of the catalogue, with credentials of providers and tags. */
export const catalogueForms = {
  providers: entryForm("provider"),
  models: entryForm("model"),
  endpoints: entryForm("endpoint"),
  prices: formOf({
    create: BookedPrice.extend({ price: PriceEntry }).refine(isConfirmed, notConfirmed),
    references: {},
  }),
} as const satisfies Record<string, ConfigurationForm>;

/** Over REST, API keys are named by their hashes. */
export const credentialForm = formOf({
  create: ProviderCredentialCreate.omit({ key: true, allowed_api_key_hashes: true }).extend({
    allowed_api_key_ids: z.array(Uuid).max(200, "may name 200 keys at most").nullish(),
  }),
  references: {
    allowed_api_key_ids: {
      as: "keys",
      to: "keys",
      description: "Names of the API keys it is used for; absent for every key, empty for none.",
    },
  },
  own: {
    secret: SecretReference.describe("The API key of the provider, as a reference."),
  },
});

export const tagForm = formOf({
  create: z.strictObject({
    name: TagName.describe("`end_user`, `app`, or `metadata.KEY` for a key of `metadata`."),
  }),
  references: {},
});
