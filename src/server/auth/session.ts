import type { IncomingHttpHeaders } from "node:http";
import { fromNodeHeaders } from "better-auth/node";
import type { Caller } from "#server/access/caller.ts";
import { permissionsOf } from "#server/access/permissions.ts";
import { organisationSuspended, type Suspension } from "#server/access/suspension.ts";
import { membershipsOf, type SignedInPerson } from "#server/accounts/index.ts";
import type { Database } from "#server/db/client.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import type { SignIn } from "./sign-in.ts";

/** The origin of a request, according to its session. */
export interface SessionHolder {
  /** The signed-in person, even if they belong to no organisation. */
  readonly person: SignedInPerson | null;
  readonly caller: Caller | null;
  /** Set, without a caller, while the organisation they would act for is suspended. */
  readonly suspension: Suspension | null;
}

export interface AuthenticatedSession extends SessionHolder {
  /** `Set-Cookie` lines that extend the session. They belong on the response. */
  readonly cookies: readonly string[];
}

const nobody: AuthenticatedSession = { person: null, caller: null, suspension: null, cookies: [] };

/**
 * The person of a request's session cookie. They act for the organisation in `x-org-id`, else for the one chosen in the
 * console, else for the first one they joined that is not suspended. Throws FORBIDDEN if the person is not a member of
 * the organisation in `x-org-id`.
 */
export async function callerOfSession(
  signIn: SignIn,
  database: Database,
  requestHeaders: IncomingHttpHeaders,
): Promise<AuthenticatedSession> {
  if (!requestHeaders.cookie) return nobody;
  const { response: found, headers } = await signIn.api.getSession({
    headers: fromNodeHeaders(requestHeaders),
    returnHeaders: true,
  });
  if (!found) return nobody;
  if (clock.nowMs() - found.session.createdAt.getTime() > limits.signIn.sessionMaxMs) {
    await database.prisma.session.deleteMany({ where: { id: found.session.id } });
    return nobody;
  }
  const memberships = await membershipsOf(database, found.user.id);
  const wanted = requestHeaders["x-org-id"];
  const chosen = (id: unknown) => memberships.find(({ orgId }) => orgId === id);
  const membership =
    wanted === undefined
      ? (chosen(found.session.activeOrgId) ??
        memberships.find(({ suspension }) => suspension === null) ??
        memberships[0])
      : chosen(wanted);
  const person = { sessionId: found.session.id, userId: found.user.id, email: found.user.email };
  const cookies = headers.getSetCookie();
  if (!membership && wanted !== undefined)
    throw new AppError("FORBIDDEN", "You are not a member of this organisation");
  if (!membership) return { person, caller: null, suspension: null, cookies };
  const { orgId, role, suspension } = membership;
  if (suspension) return { person, caller: null, suspension, cookies };
  return {
    person,
    caller: {
      kind: "person",
      orgId,
      userId: found.user.id,
      email: found.user.email,
      role,
      permissions: permissionsOf(role),
    },
    suspension: null,
    cookies,
  };
}

/**
 * Explains to a signed-in person why they act for no organisation, because signing in again would not help. Throws
 * ORGANISATION_SUSPENDED or FORBIDDEN. Returns for callers, and for people who are not signed in.
 */
export function assertHasOrganisation({ caller, person, suspension }: Partial<SessionHolder>): void {
  if (caller || !person) return;
  if (suspension) throw organisationSuspended(suspension);
  throw new AppError("FORBIDDEN", "You belong to no organisation at the moment. Ask for an invitation.");
}
