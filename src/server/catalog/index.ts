export { anthropicModel, anthropicModels } from "./anthropic-models.ts";
export {
  type CatalogueChanges,
  type Catalogues,
  createCatalogues,
  type LaterCatalogues,
} from "./catalogues.ts";
export {
  type EndpointRules,
  endpointRules,
  type FieldRule,
  fieldChanges,
  fieldRule,
} from "./dialects/dialect.ts";
export { dialects } from "./dialects/index.ts";
export { endpointFacts, rememberFacts } from "./endpoint-facts.ts";
export { createEntryLoader } from "./entry-loader.ts";
export type { EntryLayers } from "./entry-rows.ts";
export { refreshExchangeRate } from "./exchange-rates.ts";
export { type CatalogueFiles, loadCatalogue, loadCatalogueFiles } from "./load.ts";
export {
  type Credentials,
  findModel,
  nameInAnyCase,
  nameMeant,
  notFoundMessage,
  ownCredentialName,
  whyUnusable,
} from "./lookup.ts";
export { type EntryRow, nameFields } from "./overlay.ts";
export { createEntries, deleteEntry, getEntry, listEntries, updateEntry } from "./own-entries.ts";
export { priceFrom } from "./price.ts";
export { importPrices, priceFault } from "./price-book.ts";
export { priceHistory } from "./price-history.ts";
export { bookedPrices, loadPriceOverrides, type PriceOverrides } from "./price-overrides.ts";
export { probeProvider } from "./probe.ts";
export {
  countModels,
  publicEndpoints,
  publicEndpointsWhere,
  publicModel,
  publicModels,
} from "./public-models.ts";
export { publicProviders } from "./public-providers.ts";
export type { Catalogue, Endpoint, Fact, Model, Origin, Price, Provider } from "./types.ts";
export { type BaseCatalogue, createBaseLoader } from "./updates/base-catalogue.ts";
export { getUpdate, listDifferences, type RulesEffect } from "./updates/compare.ts";
export { applyUpdate, createUpdate, listUpdates, undoUpdate } from "./updates/updates.ts";
export { endpointView, modelView, offerView, providerView, type View, whyUnusableFor } from "./view.ts";
