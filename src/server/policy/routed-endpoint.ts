import type { Endpoint, EndpointRules, Fact, Model, Price, Provider } from "#server/catalog/index.ts";

type Known<T> = Pick<Fact<T>, "value" | "expiresAt">;

/** What routing reads of a price. */
export type RoutedPrice = Pick<
  Price,
  "currency" | "input" | "output" | "request" | "searchUnit" | "expiresAt"
>;

/** What routing reads of a provider. */
type RoutedProvider = Pick<
  Provider,
  "slug" | "credentialName" | "baseUrl" | "auth" | "enabled" | "canPublish" | "dpfCertified"
> & { readonly euOwned: Known<boolean> };

/** What routing reads of a model. */
export type RoutedModel = Pick<Model, "id" | "inputModalities" | "outputModalities" | "assumedModalities">;

/**
 * What routing reads of an endpoint to decide whether it may serve a request. It is recorded with each decision, so that
 * the decision can be made again: a check that reads something else does not compile.
 */
export interface RoutedEndpoint
  extends Pick<
    Endpoint,
    | "id"
    | "tag"
    | "apis"
    | "enabled"
    | "quantization"
    | "contextLength"
    | "maxOutputTokens"
    | "supportedParameters"
    | "countries"
    | "placeExpiresAt"
    | "regionGroups"
  > {
  readonly provider: RoutedProvider;
  readonly model: RoutedModel;
  readonly price: RoutedPrice | null;
  readonly rules: Pick<EndpointRules, "chat" | "responses">;
  readonly training: Known<boolean>;
  readonly retentionDays: Known<number>;
}
