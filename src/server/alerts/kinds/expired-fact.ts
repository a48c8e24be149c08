import type { AlertSettings } from "#contract/alert-kind.ts";
import type { Endpoint, Fact, Provider } from "#server/catalog/index.ts";
import { dayMs, isoDay } from "#server/platform/clock.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { usedEndpoints } from "./used-endpoints.ts";

/** Something in the catalogue that counts as unknown after a day. */
export interface ExpiringFact {
  /** Of what, and which fact: `provider mistral: training`. */
  readonly subject: string;
  readonly expiresAt: string;
}

const ofProvider: Record<string, (provider: Provider) => Fact<unknown>> = {
  "ownership in the EU": ({ euOwned }) => euOwned,
  "place of storage": ({ storageCountries }) => storageCountries,
  training: ({ training }) => training,
  retention: ({ retentionDays }) => retentionDays,
};

const ofEndpoint: Record<string, (endpoint: Endpoint) => string | null> = {
  price: ({ price }) => price?.expiresAt ?? null,
  places: ({ placeExpiresAt }) => placeExpiresAt,
  // What the provider says is reported for the provider, once.
  training: ({ training, provider }) =>
    training.expiresAt === provider.training.expiresAt ? null : training.expiresAt,
  retention: ({ retentionDays, provider }) =>
    retentionDays.expiresAt === provider.retentionDays.expiresAt ? null : retentionDays.expiresAt,
};

/** Every fact and price of these endpoints that expires, each once. */
export function expiringFacts(endpoints: readonly Endpoint[]): ExpiringFact[] {
  const providers = new Map(endpoints.map(({ provider }) => [provider.slug, provider]));
  const rows = [
    ...[...providers.values()].flatMap((provider) =>
      Object.entries(ofProvider).map(
        ([name, factOf]) => [`provider ${provider.slug}: ${name}`, factOf(provider).expiresAt] as const,
      ),
    ),
    ...endpoints.flatMap((endpoint) =>
      Object.entries(ofEndpoint).map(
        ([name, endOf]) => [`endpoint ${endpoint.id}: ${name}`, endOf(endpoint)] as const,
      ),
    ),
  ];
  return rows.flatMap(([subject, expiresAt]) => (expiresAt === null ? [] : [{ subject, expiresAt }]));
}

export const expiredFact: Evaluator<AlertSettings<"expired_fact">, readonly ExpiringFact[]> = {
  read: async (deps, query) => expiringFacts(await usedEndpoints(deps, query)),
  evaluate({ days_before }, facts, { nowMs }) {
    const end = isoDay(nowMs + days_before * dayMs);
    return facts
      .filter(({ expiresAt }) => expiresAt < end)
      .map(({ subject, expiresAt }) => ({
        subject,
        title: `Catalogue: ${subject} ${expiresAt < isoDay(nowMs) ? "expired" : "expires"} on ${expiresAt}`,
        detail: "After that day it counts as unknown. Update the catalogue, or enter a newer source.",
      }));
  },
};

export const findExpiredFacts = finderOf("expired_fact", expiredFact);
