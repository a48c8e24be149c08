export { loadCatalogue } from "./load.ts";
export { findModel, whyUnusable } from "./lookup.ts";
export { publicProviders } from "./public-providers.ts";
export type { Api, Catalogue, Endpoint, Fact, Model, Price, Provider } from "./types.ts";
