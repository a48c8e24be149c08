import { z } from "zod";
import { type FieldErrors, fieldErrorsOf } from "#app/_lib/field-errors.ts";
import type { CatalogueEntriesCreate } from "#contract/catalogue-entry.ts";
import { country, figure } from "#contract/catalogue-values.ts";
import type { ProbedModel, ProviderProbe } from "#contract/provider-probe.ts";
import type { Fields } from "./entry-values.ts";

/** Yes, no, or nobody knows. */
export type Answer = "yes" | "no" | "unknown";

/** Where prices come from. */
export type Pricing = "free" | "own" | "imported";

/** A provider in the form in which it is added. */
export interface Draft {
  readonly name: string;
  readonly scope: "organisation" | "installation";
  /** IDs of models at the server. */
  readonly models: readonly string[];
  /** Two capital letters; empty if unknown. */
  readonly country: string;
  readonly training: Answer;
  readonly euOwned: Answer;
  /** Null if unknown. */
  readonly retentionDays: number | null;
  readonly pricing: Pricing;
  /** The provider whose list prices are imported; empty if none is chosen. */
  readonly priceProvider: string;
  /** Per million tokens, in EUR. */
  readonly input: string;
  readonly output: string;
}

const privateHost =
  /^(localhost|[^.:]+|.+\.(internal|local|lan|home\.arpa)|(127|10)(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[(::1|f[cd].*)\])$/;

/** Whether a server is in the network of the organisation, as far as its address shows. */
export const isPrivateAddress = (baseUrl: string): boolean =>
  privateHost.test(URL.parse(baseUrl)?.hostname ?? "");

/** Of a server in a private network one knows that it neither trains nor retains; of others nothing is assumed. */
export function newDraft({ models, base_url }: ProviderProbe): Draft {
  const isPrivate = isPrivateAddress(base_url ?? "");
  return {
    name: "",
    scope: "organisation",
    models: models.map(({ id }) => id),
    country: "",
    training: isPrivate ? "no" : "unknown",
    euOwned: "unknown",
    retentionDays: isPrivate ? 0 : null,
    pricing: isPrivate ? "free" : "own",
    priceProvider: "",
    input: "",
    output: "",
  };
}

const Place = z.object({ country: country.or(z.literal("")) });
const checked: Record<Pricing, z.ZodObject> = {
  free: Place,
  own: Place.extend({ input: figure, output: figure }),
  imported: Place.extend({ priceProvider: z.string().min(1, "must be chosen") }),
};

/** What is wrong with the fields that the server would refuse, by name. */
export const errorsOf = (draft: Draft): FieldErrors => fieldErrorsOf(checked[draft.pricing], draft);

const facts: Record<Answer, boolean | null> = { yes: true, no: false, unknown: null };

/** `Our GPU server` → `our-gpu-server`. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");

/** The IDs of the chosen models in the catalogue. New ones are named after the provider unless they name an author. */
export const modelIdOf = ({ id, model, known }: ProbedModel, slug: string): string =>
  known || id.includes("/") ? model : `${slug}/${model.slice(model.indexOf("/") + 1)}`;

/** List prices as a catalogue file has them, by the ID of the model. */
export type ListPrices = ReadonlyMap<string, Fields>;

/** What is sent to add the provider. `today`: `2026-11-25`. A model without an imported price has none. */
export function createOf(
  draft: Draft,
  probe: ProviderProbe,
  today: string,
  imported: ListPrices = new Map(),
): CatalogueEntriesCreate {
  const slug = slugOf(draft.name);
  const chosen = probe.models.filter(({ id }) => draft.models.includes(id));
  const own = { currency: "EUR", input: draft.input, output: draft.output };
  const priced: Record<Pricing, (model: string) => Fields | undefined> = {
    free: () => undefined,
    own: () => own,
    imported: (model) => imported.get(model),
  };
  return {
    scope: draft.scope,
    source: null,
    as_of: today,
    providers: [
      {
        slug,
        name: draft.name,
        base_url: probe.base_url,
        auth: probe.auth ?? "bearer-optional",
        ...(probe.server && probe.server !== "openai-compatible" && { dialect: probe.server }),
        apis: [
          "chat",
          "completions",
          "embeddings",
          ...(probe.server === "vllm" ? ["rerank", "responses"] : []),
        ],
        free: draft.pricing === "free",
        ...(isPrivateAddress(probe.base_url ?? "") && { self_hosted: true }),
        ...(draft.country !== "" && { datacenters: [draft.country], region: draft.country }),
        training: facts[draft.training],
        eu_owned: facts[draft.euOwned],
        retention_days: draft.retentionDays,
        retains_prompts: draft.retentionDays === null ? null : draft.retentionDays > 0,
      },
    ],
    models: chosen
      .filter(({ known }) => !known)
      .map((model) => ({
        id: modelIdOf(model, slug),
        type: model.type,
        ...(model.context_length !== null && { context_length: model.context_length }),
      })),
    endpoints: chosen.map((model) => {
      const id = modelIdOf(model, slug);
      const price = priced[draft.pricing](id);
      return {
        provider: slug,
        model: id,
        upstream_model: model.id,
        ...(model.context_length !== null && { context_length: model.context_length }),
        ...(price && { price }),
      };
    }),
  };
}
