import { whyUnusable } from "#server/catalog/index.ts";
import type { CredentialVault, OwnCredential } from "#server/credentials/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Candidate } from "#server/policy/index.ts";

/** An endpoint that may be tried, and its credential: the organisation's own, else the installation's. */
export interface Target extends Candidate {
  readonly own?: OwnCredential;
  /** The installation's credential, if it is in the database; else it comes from the environment. */
  readonly shared?: OwnCredential;
}

/** Whether the organisation pays the provider itself: with its own credential, or because the provider is its own. */
export const isPaidByOrganisation = ({ own, endpoint }: Pick<Target, "own" | "endpoint">): boolean =>
  own !== undefined || endpoint.provider.origin.orgId !== null;

export interface Credentials {
  /** The current credentials in the database. */
  readonly own: () => CredentialVault;
  /** Providers with a credential of the installation, wherever it is stored, by `credentialName`. */
  readonly installation: { has(slug: string): boolean };
}

/**
 * Every candidate once for each of its credentials: first the organisation's own, then the installation's, then the
 * organisation's fallbacks. Not the installation's, if one of the organisation's that comes before cannot be read.
 */
export function targetsOf(
  candidates: readonly Candidate[],
  { own, installation }: Credentials,
  { orgId, keyId }: { readonly orgId: string; readonly keyId: string },
): readonly Target[] {
  const vault = own();
  if (!vault.has(orgId)) return candidates;
  const targets = candidates.flatMap((candidate): Target[] => {
    const { endpoint } = candidate;
    const use = { orgId, keyId, model: endpoint.model.id };
    const stored = vault.of(use, endpoint.provider.credentialName);
    const withOwn = (fallback: boolean) =>
      stored.filter((one) => one.fallback === fallback).map((one) => ({ ...candidate, own: one }));
    const shared = vault.shared(endpoint.provider.credentialName);
    const isReplaced = vault.skipsInstallation(use, endpoint.provider.credentialName);
    const reachable = !isReplaced && whyUnusable(endpoint, installation) === null;
    const installations = reachable ? [shared ? { ...candidate, shared } : candidate] : [];
    return [...withOwn(false), ...installations, ...withOwn(true)];
  });
  return targets.slice(0, limits.upstream.attemptsMax);
}
