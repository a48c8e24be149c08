import type { IncomingHttpHeaders } from "node:http";
import { fromNodeHeaders } from "better-auth/node";
import { membershipsOf } from "#server/accounts/index.ts";
import type { Database } from "#server/db/client.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Caller } from "./caller.ts";
import { permissionsOf } from "./permissions.ts";
import { type SignIn, sessionMaxMs } from "./sign-in.ts";

export interface RecognisedSession {
  readonly caller: Caller | null;
  /** `Set-Cookie` lines that keep the session alive; they belong on the response. */
  readonly cookies: readonly string[];
}

const nobody: RecognisedSession = { caller: null, cookies: [] };

/**
 * The person behind a request's session cookie, acting for the organisation `x-org-id` names or else for
 * the one joined first. Throws FORBIDDEN when the person is no member of the named organisation.
 */
export async function callerOfSession(
  signIn: SignIn,
  database: Database,
  requestHeaders: IncomingHttpHeaders,
): Promise<RecognisedSession> {
  if (!requestHeaders.cookie) return nobody;
  const { response: found, headers } = await signIn.api.getSession({
    headers: fromNodeHeaders(requestHeaders),
    returnHeaders: true,
  });
  if (!found) return nobody;
  if (clock.nowMs() - found.session.createdAt.getTime() > sessionMaxMs) {
    await database.prisma.session.deleteMany({ where: { id: found.session.id } });
    return nobody;
  }
  const memberships = await membershipsOf(database, found.user.id);
  const wanted = requestHeaders["x-org-id"];
  const membership =
    wanted === undefined ? memberships[0] : memberships.find(({ orgId }) => orgId === wanted);
  if (!membership) throw new AppError("FORBIDDEN", "You are not a member of this organisation");
  const { orgId, role } = membership;
  return {
    caller: {
      kind: "person",
      orgId,
      userId: found.user.id,
      email: found.user.email,
      role,
      permissions: permissionsOf(role),
    },
    cookies: headers.getSetCookie(),
  };
}
