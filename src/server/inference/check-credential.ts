import type { CredentialCheck } from "#contract/byok.ts";
import type { Provider } from "#server/catalog/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { OutboundError } from "#server/platform/outbound.ts";
import { type Outbounds, outboundTo } from "./outbound-to.ts";
import { providerKinds } from "./providers/registry.ts";

/** All possible results of a check: nothing of what a provider or a resolver answered. */
const messages = {
  works: "The provider accepts the credential",
  refused: "The provider does not accept the credential",
  limited: "The provider is rate limiting; try again later",
  failed: "The provider answered with an error, so the credential could not be checked",
  unreachable: "The provider could not be reached",
  address: "The provider's address is not filled in; set base_url with an own entry or in CATALOG_FILE",
  unknown: "The provider is not in the catalogue",
  unsupported: "Credentials of this provider cannot be checked without using a model",
} as const;

function found(status: number): keyof typeof messages {
  if (status === 200) return "works";
  if (status === 401 || status === 403) return "refused";
  return status === 429 ? "limited" : "failed";
}

const say = (what: keyof typeof messages, status: number | null): CredentialCheck => ({
  success: what === "works",
  status,
  message: messages[what],
});

/** Sends a free request that requires a valid credential. */
export async function checkCredential(
  outbounds: Outbounds,
  provider: Provider | undefined,
  credential: string,
): Promise<CredentialCheck> {
  if (!provider) return say("unknown", null);
  const { kind, baseUrl } = provider;
  const probe = providerKinds.get(kind)?.probe;
  if (!probe) return say("unsupported", null);
  if (baseUrl === null) return say("address", null);
  try {
    const response = await outboundTo(outbounds, provider).send({
      ...probe(baseUrl, credential),
      method: "GET",
      firstByteTimeoutMs: limits.check.timeoutMs,
      idleTimeoutMs: limits.check.timeoutMs,
      deadlineMs: clock.monotonicMs() + limits.check.timeoutMs,
    });
    response.abort();
    return say(found(response.status), response.status);
  } catch (error) {
    if (error instanceof OutboundError) return say("unreachable", null);
    throw error;
  }
}
