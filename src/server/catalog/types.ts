import type { CatalogueLayer } from "#contract/catalogue-entry.ts";
import type { Api, ModelType } from "#contract/inference-operations.ts";
import type { ExchangeRate, Pico } from "#server/platform/money.ts";
import type { EndpointRules } from "./dialects/dialect.ts";

/** How a provider is called. The wires are in `inference/providers`. */
export type ProviderKind = string;

/** A source: a short title, and its address if it has one. */
export interface Citation {
  readonly title: string;
  readonly url: string | null;
}

/** A claim about a provider or endpoint with its source; a `null` value is unknown. */
export interface Fact<T> {
  readonly value: T | null;
  readonly sources: readonly Citation[];
  /** `YYYY-MM-DD`, or as precise as the source. */
  readonly asOf: string | null;
  /** After this day the fact counts as unknown. */
  readonly expiresAt: string | null;
  readonly confidence: "high" | "medium" | "low" | "none";
}

/** Fields of an entry that an entry of the database replaces. */
export interface Override {
  readonly layer: CatalogueLayer;
  readonly fields: readonly string[];
  readonly source: string | null;
  readonly asOf: string | null;
}

/** Which layer of the catalogue defines an entry, and which fields later layers replace. */
export interface Origin {
  readonly layer: CatalogueLayer;
  /** The organisation that defines it; null if it is there for everybody. */
  readonly orgId: string | null;
  readonly overrides: readonly Override[];
}

export interface Provider {
  /** UUID version 5 of the slug: stable over restarts and installations. */
  readonly id: string;
  readonly slug: string;
  readonly origin: Origin;
  /** What credentials are found by. Only an organisation's own credentials have the name of its own provider. */
  readonly credentialName: string;
  readonly name: string;
  readonly description: string | null;
  readonly kind: ProviderKind;
  /** Null while the address has a placeholder that only the operator can fill, such as `{resource}`. */
  readonly baseUrl: string | null;
  readonly auth: "bearer" | "none" | string;
  readonly enabled: boolean;
  /** Free of charge: its endpoints need no price. */
  readonly free: boolean;
  /** The field of a chat request for the limit of the answer's length. */
  readonly tokenLimitField: "max_tokens" | "max_completion_tokens";
  /** Whether requests need such a limit. */
  readonly tokenLimitRequired: boolean;
  /** The only members of a chat message it accepts; null: it ignores unknown ones. */
  readonly messageFields: ReadonlySet<string> | null;
  readonly headquarters: string | null;
  /** Whom the contract is with. */
  readonly legalEntity: Fact<string>;
  readonly euOwned: Fact<boolean>;
  /** Where stored data is located: upper-case country codes. */
  readonly storageCountries: Fact<readonly string[]>;
  readonly dpfCertified: boolean;
  readonly byokSupported: boolean;
  readonly region: string | null;
  /** What is known of its locations, as text. */
  readonly regionNote: string | null;
  /** Operated by the organisation that installs it. */
  readonly selfHosted: boolean;
  /** Names of facts that were not checked against a source. */
  readonly unverified: readonly string[];
  readonly datacenters: readonly string[] | null;
  readonly canPublish: boolean | null;
  readonly requiresUserIds: boolean;
  readonly training: Fact<boolean>;
  readonly retainsPrompts: boolean | null;
  readonly retentionDays: Fact<number>;
  /** Days of retention only on an error or a suspicion of abuse; null if no source states them. */
  readonly conditionalRetentionDays: number | null;
  readonly iconUrl: string | null;
  readonly privacyPolicyUrl: string | null;
  readonly termsOfServiceUrl: string | null;
  readonly statusPageUrl: string | null;
  readonly dataPolicyUrl: string | null;
  readonly dpaUrl: string | null;
}

/** The announced end of a model. At least one of the days is known. */
export interface Retirement {
  /** Since this day its use is discouraged. */
  readonly deprecatedOn: string | null;
  /** From this day on providers may refuse it. */
  readonly expiresOn: string | null;
  /** ID of the model to use instead. */
  readonly successor: string | null;
  /** Of answers by the model: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the successor. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Model {
  /** `author/slug`. */
  readonly id: string;
  readonly origin: Origin;
  readonly name: string;
  readonly author: string;
  readonly type: ModelType;
  readonly description: string | null;
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  /** `text`, `image`, `audio`, `file`, `video`. */
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Those of the two lists that the catalogue leaves out, so that they are the default of the model's type. */
  readonly assumedModalities: readonly ("input_modalities" | "output_modalities")[];
  readonly supportedParameters: readonly string[];
  readonly openWeights: boolean | null;
  readonly embeddingDimensions: number | null;
  readonly retirement: Retirement | null;
}

/** A price above an input size; factors are exact ratios, applied to the whole request. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly input: Pico;
  readonly output: Pico;
  readonly cacheRead: Pico | null;
  readonly cacheWrite: Pico | null;
  /** For input cached for an hour; absent if it costs the same as other writes. */
  readonly cacheWriteHour?: Pico;
}

/** Pico-units of `currency` for one token, one request or one search unit. */
export interface Price {
  /** Identifies this exact set of figures; stored with each generation. */
  readonly version: string;
  readonly currency: "USD" | "EUR";
  readonly input: Pico;
  readonly output: Pico;
  readonly cacheRead: Pico | null;
  readonly cacheWrite: Pico | null;
  /** For input cached for an hour; absent if it costs the same as other writes. */
  readonly cacheWriteHour?: Pico;
  readonly reasoning: Pico | null;
  readonly request: Pico;
  readonly searchUnit: Pico | null;
  readonly tiers: readonly PriceTier[];
  readonly sources: readonly Citation[];
  readonly asOf: string | null;
  /** After this day the price counts as unknown. */
  readonly expiresAt: string | null;
}

/** One model at one provider in one region and format: the target of routing. */
export interface Endpoint {
  /** Unique in one organisation: `provider-slug[/variant]:model-id`. */
  readonly id: string;
  /** Unique in the installation: what is measured of an organisation's own endpoint concerns nobody else. */
  readonly measuredAs: string;
  readonly origin: Origin;
  /** `provider-slug` or `provider-slug/variant`, as `order`, `only` and `ignore` name it. */
  readonly tag: string;
  /** The provider with the `baseUrl` of this endpoint, which may be a regional one. */
  readonly provider: Provider;
  readonly model: Model;
  readonly upstreamModel: string;
  readonly apis: ReadonlySet<Api>;
  readonly enabled: boolean;
  readonly status: "active" | "preview" | "deprecated";
  readonly price: Price | null;
  /** `unknown` if no source states it. */
  readonly quantization: string;
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly supportedParameters: ReadonlySet<string>;
  /** What it does with each field of a request. */
  readonly rules: EndpointRules;
  /** Upper-case ISO 3166-1 alpha-2 codes where inference runs; empty if no country is named. */
  readonly countries: readonly string[];
  /** After this day the countries and regions are unknown; their source and date are the endpoint's. */
  readonly placeExpiresAt: string | null;
  /** Wider promises: `EU`, `EU_ADEQUATE`, `US`, `REGIONAL`, `GLOBAL`. */
  readonly regionGroups: readonly string[];
  readonly training: Fact<boolean>;
  /** The larger of the ordinary and the conditional number of days. */
  readonly retentionDays: Fact<number>;
  readonly sources: readonly Citation[];
  readonly asOf: string | null;
  readonly confidence: "high" | "medium" | "low" | "none";
}

/** Everything routing reads. Immutable; a change makes a new one. */
export interface Catalogue {
  readonly version: string;
  readonly asOf: string;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly models: ReadonlyMap<string, Model>;
  /** Aliases of models, each with the model's id. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly endpointsByModel: ReadonlyMap<string, readonly Endpoint[]>;
  readonly exchangeRate: ExchangeRate;
}
