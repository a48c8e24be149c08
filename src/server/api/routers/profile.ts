import { z } from "zod";
import { Deleted, Uuid } from "#contract/common.ts";
import { Profile, ProfileUpdate } from "#contract/profile.ts";
import { endAllSessions, endSession, profileOf, renamePerson } from "#server/accounts/index.ts";
import { deleted, personal, router } from "../trpc.ts";

/** A person's own account. The password is changed under `/api/auth`, which handles cookies. */
export const profileRouter = router({
  get: personal.output(Profile).query(({ ctx }) => profileOf(ctx.services.database, ctx.person)),

  update: personal
    .meta({ audit: { action: "person.rename", configuration: false } })
    .input(ProfileUpdate)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await renamePerson(ctx.services.database, ctx.person, input.name);
      return deleted;
    }),

  endSession: personal
    .meta({ audit: { action: "person.session_end", configuration: false } })
    .input(z.strictObject({ id: Uuid }))
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await endSession(ctx.services.database, ctx.person, input.id);
      return deleted;
    }),

  signOutEverywhere: personal
    .meta({ audit: { action: "person.sign_out_everywhere", configuration: false } })
    .output(Deleted)
    .mutation(async ({ ctx }) => {
      await endAllSessions(ctx.services.database, ctx.person);
      return deleted;
    }),
});
