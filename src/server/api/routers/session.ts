import { z } from "zod";
import { Uuid } from "#contract/common.ts";
import { CurrentSession, OwnOrganisation } from "#contract/overview.ts";
import { isOperator, membershipsOf, switchOrganisation } from "#server/accounts/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { anyone, authenticated, personal, router } from "../trpc.ts";

export const sessionRouter = router({
  get: authenticated("none")
    .output(CurrentSession)
    .query(async ({ ctx: { services, caller } }) => {
      if (caller.kind !== "person") throw new AppError("FORBIDDEN", "Only a signed-in person has a session");
      const [memberships, operator] = await Promise.all([
        membershipsOf(services.database, caller.userId),
        isOperator(services.database, caller),
      ]);
      const organisations = memberships.map(({ orgId, orgName }) => ({ id: orgId, name: orgName }));
      const organisation = organisations.find(({ id }) => id === caller.orgId);
      if (!organisation) throw new AppError("FORBIDDEN", "You are not a member of this organisation");
      return CurrentSession.parse({
        user_id: caller.userId,
        email: caller.email,
        role: caller.role,
        permissions: [...caller.permissions],
        operator,
        organisation,
        organisations,
      });
    }),

  /** For a person whose organisation is suspended: they may belong to others. */
  organisations: personal.output(z.array(OwnOrganisation)).query(async ({ ctx: { services, person } }) =>
    (await membershipsOf(services.database, person.userId)).map(({ orgId, orgName, suspension }) => ({
      id: orgId,
      name: orgName,
      suspended_reason: suspension?.reason ?? null,
    })),
  ),

  ways: anyone.output(z.object({ oidc: z.boolean() })).query(({ ctx: { services } }) => ({
    oidc: services.config.OIDC_ISSUER !== undefined,
  })),

  switchOrganisation: personal
    .meta({ audit: { none: "changes only this session" } })
    .input(z.strictObject({ org_id: Uuid }))
    .output(z.object({ org_id: Uuid }))
    .mutation(async ({ ctx: { services, person }, input }) => {
      await switchOrganisation(services.database, person, input.org_id);
      return input;
    }),
});
