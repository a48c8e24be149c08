import { CurrentSession } from "#contract/overview.ts";
import { membershipsOf } from "#server/accounts/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { permitted, router } from "../trpc.ts";

export const sessionRouter = router({
  get: permitted("activity:read")
    .output(CurrentSession)
    .query(async ({ ctx: { services, caller } }) => {
      if (caller.kind !== "person") throw new AppError("FORBIDDEN", "Only a signed-in person has a session");
      const memberships = await membershipsOf(services.database, caller.userId);
      const membership = memberships.find(({ orgId }) => orgId === caller.orgId);
      if (!membership) throw new AppError("FORBIDDEN", "You are not a member of this organisation");
      return {
        email: caller.email,
        role: caller.role,
        organisation: { id: membership.orgId, name: membership.orgName },
      };
    }),
});
