import type { Provider } from "#server/catalog/index.ts";

/** What metrics call a provider. The names that organisations give to their own ones are neither shown nor counted. */
export const metricLabel = ({ slug, origin }: Pick<Provider, "slug" | "origin">): string =>
  origin.orgId === null ? slug : "own";
