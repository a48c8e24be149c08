import type { Provider } from "#server/catalog/index.ts";
import type { Outbound } from "#server/platform/outbound.ts";

export interface Outbounds {
  readonly outbound: Outbound;
  readonly ownOutbound: Outbound;
}

/** The connections to a provider: those of the installation, or those that an organisation may use. */
export const outboundTo = (
  { outbound, ownOutbound }: Outbounds,
  { origin }: Pick<Provider, "origin">,
): Outbound => (origin.orgId === null ? outbound : ownOutbound);
