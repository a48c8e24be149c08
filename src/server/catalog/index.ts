export { anthropicModel, anthropicModels } from "./anthropic-models.ts";
export {
  type EndpointRules,
  endpointRules,
  type FieldRule,
  fieldChanges,
  fieldRule,
} from "./dialects/dialect.ts";
export { dialects } from "./dialects/index.ts";
export { refreshExchangeRate } from "./exchange-rates.ts";
export { loadCatalogue } from "./load.ts";
export { findModel, nameInAnyCase, nameMeant, notFoundMessage, whyUnusable } from "./lookup.ts";
export { importPrices } from "./price-book.ts";
export { priceHistory } from "./price-history.ts";
export { liveCatalogue, loadPriceOverrides, type PriceOverrides } from "./price-overrides.ts";
export {
  countModels,
  publicEndpoints,
  publicEndpointsWhere,
  publicModel,
  publicModels,
} from "./public-models.ts";
export { publicProviders } from "./public-providers.ts";
export type { Catalogue, Endpoint, Fact, Model, Price, Provider } from "./types.ts";
export { endpointView, modelView, offerView, providerView, type View, whyUnusableFor } from "./view.ts";
