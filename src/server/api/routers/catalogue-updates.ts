import { z } from "zod";
import {
  CatalogueComparison,
  CatalogueDifferenceQuery,
  CatalogueDifferences,
  CatalogueUpdateApply,
  CatalogueUpdateCreate,
  CatalogueUpdateQuery,
  CatalogueUpdates,
  effectNamesMax,
} from "#contract/catalogue-update.ts";
import { data, Uuid } from "#contract/common.ts";
import type { Caller } from "#server/access/caller.ts";
import {
  applyUpdate,
  createUpdate,
  getUpdate,
  listDifferences,
  listUpdates,
  type RulesEffect,
  undoUpdate,
} from "#server/catalog/index.ts";
import { eligibilityChange, unservedOrganisations } from "#server/policy/index.ts";
import type { Services } from "../services.ts";
import { operated, rest, router } from "../trpc.ts";

const tag = "Providers";
const Named = (what: string) => z.object({ id: Uuid.describe("ID of the update.") }).describe(what);
const ById = z.object({ id: Uuid.describe("ID of the update.") });
const managers = operated("billing:write");
const onlyOperator = "Only for the organisation that runs the installation.";

const depsOf = ({ database, catalogues, catalogueUpdates }: Services) => ({
  database,
  catalogues,
  ...catalogueUpdates,
});

const rulesEffect =
  ({ database, inference: { router: routerOf } }: Services, { orgId }: Caller): RulesEffect =>
  async (before, after) => {
    const others = await unservedOrganisations(
      database,
      { router: routerOf, exceptOrgId: orgId },
      before,
      after,
    );
    const { admitted, excluded, unserved } = eligibilityChange(routerOf(orgId), before, after, orgId);
    const first = (names: readonly string[]) => names.slice(0, effectNamesMax);
    return {
      rules: {
        ...{ admitted_count: admitted.length, admitted: first(admitted) },
        ...{ excluded_count: excluded.length, excluded: first(excluded) },
        ...{ unserved_count: unserved.length, unserved: first(unserved) },
      },
      other_organisations: { checked_count: others.checked, unserved_count: others.unserved },
    };
  };

const compared = (services: Services, caller: Parameters<typeof getUpdate>[1], id: string) =>
  getUpdate(depsOf(services), caller, id, rulesEffect(services, caller));

/** Newer documents of the shipped catalogue, which are compared before they apply and can be undone. */
export const catalogueUpdatesRouter = router({
  list: managers
    .meta(
      rest("GET", "/catalogue-updates", {
        summary: "List catalogue updates",
        description: `Proposed, applied and undone documents of the catalogue, the newest first. ${onlyOperator}`,
        tag,
      }),
    )
    .input(CatalogueUpdateQuery)
    .output(CatalogueUpdates)
    .query(({ ctx, input }) => listUpdates(depsOf(ctx.services), ctx.caller, input)),

  create: managers
    .meta(
      rest("POST", "/catalogue-updates", {
        summary: "Compare a catalogue with the one in use",
        description:
          "Reads a complete catalogue file, given as text or read from an address, validates it and stores it as a " +
          "proposal, in place of an earlier one. Nothing changes until it is applied. The answer counts the " +
          `differences and shows their effect. Ten a minute, including tests of providers. ${onlyOperator}`,
        tag,
        status: 201,
        rateLimit: "test",
        example: { url: "https://catalogue.example.eu/catalogue.json" },
        audit: { action: "catalogue_update.create", configuration: false },
      }),
    )
    .input(CatalogueUpdateCreate)
    .output(data(CatalogueComparison))
    .mutation(async ({ ctx: { services, caller }, input }) => {
      const { id } = await createUpdate(depsOf(services), caller, input);
      return { data: await compared(services, caller, id) };
    }),

  get: managers
    .meta(
      rest("GET", "/catalogue-updates/{id}", {
        summary: "Get a catalogue update",
        description:
          "With the number of differences from the catalogue in use, new hosts, and what changes under your routing " +
          `rules. For the update in use: what it has changed. ${onlyOperator}`,
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(CatalogueComparison))
    .query(async ({ ctx, input }) => ({ data: await compared(ctx.services, ctx.caller, input.id) })),

  differences: managers
    .meta(
      rest("GET", "/catalogue-updates/{id}/differences", {
        summary: "List the differences of a catalogue update",
        description: `From the catalogue in use; for the update in use from the one before it. ${onlyOperator}`,
        tag,
        errors: [404],
      }),
    )
    .input(CatalogueDifferenceQuery)
    .output(CatalogueDifferences)
    .query(({ ctx, input }) => listDifferences(depsOf(ctx.services), ctx.caller, input)),

  applyUpdate: managers
    .meta(
      rest("POST", "/catalogue-updates/{id}/apply", {
        summary: "Apply a catalogue update",
        description:
          "The document replaces the shipped one. `CATALOG_FILE`, entries of the catalogue and the price book keep " +
          `priority. Applies in every process within a second. ${onlyOperator}`,
        tag,
        errors: [404, 409],
        example: { compared_with: null },
        audit: { action: "catalogue_update.apply", configuration: true },
      }),
    )
    .input(CatalogueUpdateApply)
    .output(data(Named("The update that is in use.")))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: { id: await applyUpdate(depsOf(services), caller, input) },
    })),

  undoUpdate: managers
    .meta(
      rest("POST", "/catalogue-updates/{id}/undo", {
        summary: "Undo a catalogue update",
        description:
          "The update before it applies again, or the shipped catalogue. The document remains and can be applied again. " +
          `Applies in every process within a second. ${onlyOperator}`,
        tag,
        errors: [404, 409],
        audit: { action: "catalogue_update.undo", configuration: true },
      }),
    )
    .input(ById)
    .output(data(Named("The update that was undone.")))
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await undoUpdate(depsOf(services), caller, input.id);
      return { data: { id: input.id } };
    }),
});
