import { z } from "zod";
import {
  CatalogueEntries,
  CatalogueEntriesCreate,
  CatalogueEntry,
  CatalogueEntryQuery,
  CatalogueEntryUpdate,
} from "#contract/catalogue-entry.ts";
import { Deleted, data, Uuid } from "#contract/common.ts";
import { ProviderProbe, ProviderProbeRequest } from "#contract/provider-probe.ts";
import { isOperator } from "#server/accounts/index.ts";
import {
  createEntries,
  deleteEntry,
  getEntry,
  listEntries,
  probeProvider,
  updateEntry,
} from "#server/catalog/index.ts";
import { catalogueFor, outboundOf } from "../catalogue-for.ts";
import type { Services } from "../services.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Providers";
const ById = z.object({ id: Uuid.describe("ID of the entry.") });

const depsOf = (services: Services) => ({
  database: services.database,
  catalogues: services.catalogues,
  outboundFor: outboundOf(services),
});

const example = {
  source: "Operations manual, section 4",
  providers: [
    {
      slug: "our-gpu",
      name: "Our GPU server",
      base_url: "https://gpu.example.eu/v1",
      dialect: "vllm",
      auth: "bearer-optional",
      free: true,
      self_hosted: true,
      datacenters: ["DE"],
      eu_owned: true,
      training: false,
      retention_days: 0,
    },
  ],
  models: [{ id: "our/qwen3-8b", context_length: 32_768 }],
  endpoints: [{ provider: "our-gpu", model: "our/qwen3-8b", upstream_model: "Qwen/Qwen3-8B" }],
};

/** Providers, models, endpoints and prices that are added or changed at run time. */
export const catalogueEntriesRouter = router({
  list: permitted("byok:read", "organisation")
    .meta(
      rest("GET", "/catalogue-entries", {
        summary: "List your own catalogue entries",
        description:
          "The providers, models and endpoints that your organisation added to the catalogue, and the facts that it " +
          "changed, the newest first. For the organisation that runs the installation also those of the installation.",
        tag,
      }),
    )
    .input(CatalogueEntryQuery)
    .output(CatalogueEntries)
    .query(({ ctx, input }) => listEntries(depsOf(ctx.services), ctx.caller, input)),

  create: permitted("byok:write", "organisation")
    .meta(
      rest("POST", "/catalogue-entries", {
        summary: "Add providers, models and endpoints",
        description:
          "All entries are added, or none if one is wrong. They have the fields of a catalogue file " +
          "(`CATALOG_FILE`). An entry with the name of one in a lower layer replaces only the fields that it has: the " +
          "operator can change any, an organisation only facts such as `retention_days`. Endpoints without a `price` " +
          "are used only if the provider has `free: true`. Applies in every process within a second.",
        tag,
        status: 201,
        errors: [409],
        example,
        idempotent: true,
        audit: { action: "catalogue_entry.create", configuration: true },
      }),
    )
    .input(CatalogueEntriesCreate)
    .output(z.object({ data: z.array(CatalogueEntry).describe("The new entries.") }))
    .mutation(async ({ ctx, input }) => ({
      data: await createEntries(depsOf(ctx.services), ctx.caller, input),
    })),

  probe: permitted("byok:write", "organisation")
    .meta(
      rest("POST", "/catalogue-entries/probe", {
        opaque: ["key"],
        summary: "Find out what a server offers",
        description:
          "Asks an address for its list of models, in the format of OpenAI (vLLM, llama.cpp and others) or Ollama. " +
          "Answers 200 whatever it finds, and stores nothing. A private address must be allowed with " +
          "`ALLOW_PRIVATE_OWN_PROVIDERS`, for the operator with `ALLOW_PRIVATE_HOSTS`. Ten tests a minute per organisation, including those of credentials and destinations.",
        tag,
        rateLimit: "test",
        example: { base_url: "https://gpu.example.eu/v1" },
        audit: { none: "nothing is changed" },
      }),
    )
    .input(ProviderProbeRequest)
    .output(data(ProviderProbe))
    .mutation(async ({ ctx: { services, caller }, input }) => {
      const { outbound, ownOutbound } = services.inference;
      const asOperator = await isOperator(services.database, caller);
      const found = await probeProvider(
        asOperator ? outbound : ownOutbound,
        catalogueFor(services, caller),
        input,
      );
      return { data: found };
    }),

  get: permitted("byok:read", "organisation")
    .meta(
      rest("GET", "/catalogue-entries/{id}", {
        summary: "Get a catalogue entry",
        description: "With the reason if it cannot be used.",
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(CatalogueEntry))
    .query(async ({ ctx, input }) => ({
      data: await getEntry(depsOf(ctx.services), ctx.caller, input.id),
    })),

  update: permitted("byok:write", "organisation")
    .meta(
      rest("PATCH", "/catalogue-entries/{id}", {
        summary: "Change a catalogue entry",
        description:
          "Replaces its fields, or disables it, after which the entry of the lower layer applies. Applies in every " +
          "process within a second.",
        tag,
        errors: [404],
        example: { enabled: false },
        audit: { action: "catalogue_entry.update", configuration: true },
      }),
    )
    .input(CatalogueEntryUpdate)
    .output(data(CatalogueEntry))
    .mutation(async ({ ctx, input }) => ({
      data: await updateEntry(depsOf(ctx.services), ctx.caller, input),
    })),

  remove: permitted("byok:write", "organisation")
    .meta(
      rest("DELETE", "/catalogue-entries/{id}", {
        summary: "Delete a catalogue entry",
        description:
          "What it changed is restored. With a provider that it added, the endpoints of the provider are deleted.",
        tag,
        errors: [404],
        audit: { action: "catalogue_entry.delete", configuration: true },
      }),
    )
    .input(ById)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteEntry(depsOf(ctx.services), ctx.caller, input.id);
      return deleted;
    }),
});
