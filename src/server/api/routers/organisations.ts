import { z } from "zod";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import { SentInvitation } from "#contract/member.ts";
import {
  CreatedOrganisation,
  ManagedOrganisation,
  ManagedOrganisationQuery,
  OrganisationCreate,
  OrganisationDelete,
  OrganisationSuspend,
  OrganisationUpdate,
  OwnerInvitation,
} from "#contract/organisation.ts";
import {
  createOrganisation,
  deleteOrganisation,
  getOrganisation,
  inviteOwner,
  listOrganisations,
  resumeOrganisation,
  suspendOrganisation,
  updateOrganisation,
} from "#server/accounts/index.ts";
import { adjustCredit } from "#server/billing/index.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { deleted, operated, rest, router } from "../trpc.ts";

const tag = "Organisations";
const id = Uuid.describe("ID of the organisation.");
const only = "Only for the organisation that runs the installation.";
const operators = operated("organisations:write");

export const organisationsRouter = router({
  list: operators
    .meta(
      rest("GET", "/organisations", {
        summary: "List the organisations of the installation",
        description: `The one that runs the installation first, then by creation. ${only}`,
        tag,
      }),
    )
    .input(ManagedOrganisationQuery)
    .output(dataList(ManagedOrganisation))
    .query(({ ctx, input }) => listOrganisations(ctx.services.database, ctx.caller, input)),

  create: operators
    .meta(
      rest("POST", "/organisations", {
        summary: "Create an organisation and invite its owner",
        description:
          "You do not become a member of it: `owner_email` is invited as its owner, for seven days. If the " +
          "installation sends no mail, this answer contains `link`, once, for you to share. `credit` is its " +
          `starting credit in euros. ${only} Not with a key that has limits.`,
        tag,
        status: 201,
        errors: [409],
        example: { name: "City library", owner_email: "grace@example.eu", credit: 25 },
        idempotent: true,
        audit: { action: "organisation.create", configuration: false },
      }),
    )
    .input(OrganisationCreate)
    .output(CreatedOrganisation)
    .mutation(({ ctx: { services, caller }, input }) =>
      createOrganisation(services, caller, input, async (tx, operator, orgId) => {
        if (input.credit === undefined) return;
        const amount = picoFromDecimal(input.credit);
        await adjustCredit(tx, operator, { orgId, amount, reason: "Starting credit" });
      }),
    ),

  get: operators
    .meta(
      rest("GET", "/organisations/{id}", {
        summary: "Get an organisation",
        description: only,
        tag,
        errors: [404],
      }),
    )
    .input(z.object({ id }))
    .output(data(ManagedOrganisation))
    .query(async ({ ctx, input }) => ({
      data: await getOrganisation(ctx.services.database, ctx.caller, input.id),
    })),

  update: operators
    .meta(
      rest("PATCH", "/organisations/{id}", {
        summary: "Rename an organisation",
        description: `Its slug stays, because links and traces contain it. ${only}`,
        tag,
        errors: [404],
        example: { name: "City libraries" },
        audit: { action: "organisation.update", configuration: false },
      }),
    )
    .input(OrganisationUpdate)
    .output(data(ManagedOrganisation))
    .mutation(async ({ ctx, input }) => ({
      data: await updateOrganisation(ctx.services.database, ctx.caller, input),
    })),

  suspend: operators
    .meta(
      rest("POST", "/organisations/{id}/suspend", {
        summary: "Suspend an organisation",
        description:
          "Its API keys and members are refused with 403 and the reason, everywhere except in their own " +
          "profiles. Requests in progress end normally and are billed. Nothing is changed or deleted. " +
          `Suspending it again changes the reason. ${only}`,
        tag,
        errors: [404, 409],
        example: { reason: "The invoice of October is not paid" },
        audit: { action: "organisation.suspend", configuration: true },
      }),
    )
    .input(OrganisationSuspend)
    .output(data(ManagedOrganisation))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await suspendOrganisation(services.database, caller, input),
    })),

  resume: operators
    .meta(
      rest("POST", "/organisations/{id}/resume", {
        summary: "Resume a suspended organisation",
        description: `Everything is unchanged; keys that expired in the meantime remain expired. ${only}`,
        tag,
        errors: [404],
        audit: { action: "organisation.resume", configuration: true },
      }),
    )
    .input(z.strictObject({ id }))
    .output(data(ManagedOrganisation))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await resumeOrganisation(services.database, caller, input.id),
    })),

  inviteOwner: operators
    .meta(
      rest("POST", "/organisations/{id}/owners", {
        summary: "Invite an owner of an organisation",
        description:
          "Its first owner again after the invitation expired, or another one if none of them can sign in. " +
          `A pending invitation of the same address is replaced. ${only} Not with a key that has limits.`,
        tag,
        status: 201,
        errors: [404, 409],
        example: { email: "grace@example.eu" },
        audit: { action: "organisation.invite_owner", configuration: false },
      }),
    )
    .input(OwnerInvitation)
    .output(SentInvitation)
    .mutation(({ ctx: { services, caller }, input }) => inviteOwner(services, caller, input)),

  remove: operators
    .meta(
      rest("DELETE", "/organisations/{id}", {
        summary: "Delete a suspended organisation",
        description:
          "Permanently. Send its `name` as a confirmation. Deleted are memberships, API keys, service " +
          "accounts, workspaces, rules, destinations with pending deliveries, provider credentials, invitations, " +
          "stored responses and refused requests. The ledger, the records of requests (without user, session " +
          "and application) and the audit log remain, for accounting. People keep their accounts. " +
          `409 unless it is suspended. ${only}`,
        tag,
        errors: [404, 409],
        audit: { action: "organisation.delete", configuration: true },
      }),
    )
    .input(OrganisationDelete)
    .output(Deleted)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await deleteOrganisation(services, caller, input);
      return deleted;
    }),
});
