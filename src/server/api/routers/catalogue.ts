import { z } from "zod";
import {
  CatalogueModel,
  CatalogueProvider,
  type Health,
  ModelWithEndpoints,
  Offer,
  ProviderHealth,
} from "#contract/catalogue-view.ts";
import type { Caller } from "#server/access/caller.ts";
import {
  type Endpoint,
  endpointView,
  modelView,
  offerView,
  providerView,
  type View,
  whyUnusableFor,
} from "#server/catalog/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { notFound } from "#server/platform/errors.ts";
import { catalogueFor, ownCredentialsOf } from "../catalogue-for.ts";
import type { Services } from "../services.ts";
import { permitted, router } from "../trpc.ts";

const viewOf = (services: Services, caller: Caller): View => ({
  catalogue: catalogueFor(services, caller),
  credentials: {
    own: ownCredentialsOf(services, caller),
    installation: services.inference.credentials.installation,
  },
  today: isoDay(clock.nowMs()),
});

const median = (values: readonly number[]): number | null =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;

/**
 * Several endpoints as one: the share of all their attempts that succeeded, and the median speed. It cools down if all of
 * them that were tried do.
 */
function healthOf({ inference }: Services, endpoints: readonly Pick<Endpoint, "measuredAs">[]): Health {
  const seen = endpoints.map(({ measuredAs }) => inference.statistics.signals(measuredAs));
  const medianOf = (measure: "latency" | "throughput") =>
    median(seen.flatMap((signals) => signals[measure]?.p50 ?? []));
  const tried = seen.filter(({ attempts, cooling }) => attempts > 0 || cooling);
  const attempts = tried.reduce((sum, signals) => sum + signals.attempts, 0);
  const successes = tried.reduce((sum, signals) => sum + signals.health * signals.attempts, 0);
  const health = attempts === 0 ? 1 : successes / attempts;
  const [latency, throughput] = [medianOf("latency"), medianOf("throughput")];
  const cooling = tried.length > 0 && tried.every((signals) => signals.cooling);
  return {
    cooling,
    health,
    measured: tried.length > 0 || latency !== null || throughput !== null,
    latency_p50: latency,
    throughput_p50: throughput,
  };
}

/** The catalogue for the console: facts with their sources, prices in both currencies, health. */
export const catalogueRouter = router({
  providers: permitted("activity:read", "none")
    .input(z.object({}))
    .output(z.object({ data: z.array(CatalogueProvider) }))
    .query(({ ctx }) => ({ data: providerView(viewOf(ctx.services, ctx.caller)) })),

  models: permitted("activity:read", "none")
    .input(z.object({}))
    .output(z.object({ data: z.array(CatalogueModel) }))
    .query(({ ctx }) => ({ data: modelView(viewOf(ctx.services, ctx.caller)) })),

  model: permitted("activity:read", "none")
    .input(z.object({ id: z.string().min(1).max(200) }))
    .output(ModelWithEndpoints)
    .query(({ ctx: { services, caller }, input }) => {
      const view = viewOf(services, caller);
      const found = endpointView(input.id, view);
      if (!found) throw notFound("model", "id");
      const endpoints = found.endpoints.map((one) => {
        const endpoint = view.catalogue.endpoints.get(one.id);
        return { ...one, health: healthOf(services, endpoint ? [endpoint] : []) };
      });
      return { ...found, endpoints };
    }),

  offers: permitted("activity:read", "none")
    .input(z.object({ provider: z.string().min(1).max(100) }))
    .output(z.object({ data: z.array(Offer) }))
    .query(({ ctx: { services, caller }, input }) => ({
      data: offerView(input.provider, viewOf(services, caller)),
    })),

  health: permitted("activity:read", "none")
    .input(z.object({}))
    .output(z.object({ data: z.array(ProviderHealth) }))
    .query(({ ctx: { services, caller } }) => {
      const view = viewOf(services, caller);
      const usable = [...view.catalogue.endpoints.values()].filter(
        (endpoint) => endpoint.enabled && endpoint.provider.enabled && !whyUnusableFor(view, endpoint),
      );
      const byProvider = [...Map.groupBy(usable, ({ provider }) => provider)];
      return {
        data: byProvider.map(([{ slug, name }, endpoints]) => ({
          slug,
          name,
          ...healthOf(services, endpoints),
        })),
      };
    }),
});
