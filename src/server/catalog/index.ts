export { buildCatalogue } from "./build.ts";
export { loadCatalogue } from "./load.ts";
export { findModel, whyUnusable } from "./lookup.ts";
export { publicProviders } from "./public-providers.ts";
export type { Catalogue, Endpoint, Model, Price, Provider } from "./types.ts";
