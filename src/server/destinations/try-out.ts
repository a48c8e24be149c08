import type { DestinationTest, DestinationTestRequest } from "#contract/destination.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { clock } from "#server/platform/clock.ts";
import { OutboundError } from "#server/platform/outbound.ts";
import { senderOver } from "./attempt.ts";
import { type ConfigValues, readConfig } from "./config.ts";
import type { DestinationDeps } from "./deps.ts";
import { findDestination } from "./destination-access.ts";
import { configOf } from "./destination-rows.ts";
import type { DestinationKind } from "./kind.ts";
import { kindOf } from "./registry.ts";

/** All possible results of a test: nothing of the destination's answer, no names and addresses. */
const messages = {
  ok: "The destination accepted the test",
  credentials: "The destination refused the credentials",
  refused: "The destination refused the test: check address, project and names",
  busy: "The destination was reached but is rate limiting; try again later",
  failing: "The destination was reached but failed with an error",
  redirect: "The destination redirects, which is not followed: use the final address",
  unreachable: "The destination could not be reached in time",
  blocked: "This address may not be reached from here; see ALLOW_PRIVATE_DESTINATIONS",
} as const;

function messageFor(status: number): keyof typeof messages {
  if (status === 401 || status === 403) return "credentials";
  if (status === 429) return "busy";
  if (status >= 500) return "failing";
  return status >= 300 && status < 400 ? "redirect" : "refused";
}

async function tryOut(
  deps: DestinationDeps,
  kind: DestinationKind,
  config: ConfigValues,
): Promise<DestinationTest> {
  try {
    const send = senderOver(deps.outbound);
    const { ok, status } = await kind.test(config, { send, nowMs: clock.nowMs() });
    return { success: ok, status, message: messages[ok ? "ok" : messageFor(status)] };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return {
      success: false,
      status: 0,
      message: messages[error.failure === "blocked" ? "blocked" : "unreachable"],
    };
  }
}

/** Tests an unsaved destination: whether traces would arrive. */
export async function testUnsaved(
  deps: DestinationDeps,
  _caller: Authorized<"broadcast:write">,
  { type, config }: DestinationTestRequest,
): Promise<DestinationTest> {
  const kind = kindOf(type);
  return tryOut(deps, kind, readConfig(kind, config));
}

/** The same for a saved one, with its stored secrets. Throws BAD_REQUEST for an invalid stored configuration. */
export async function testSaved(
  deps: DestinationDeps,
  caller: Authorized<"broadcast:write">,
  id: string,
): Promise<DestinationTest> {
  const row = await findDestination(deps.database.prisma, caller, id);
  const kind = kindOf(row.type);
  return tryOut(deps, kind, readConfig(kind, {}, configOf(deps.sealer, row)));
}
