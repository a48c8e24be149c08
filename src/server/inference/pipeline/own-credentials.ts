import { whyUnusable } from "#server/catalog/index.ts";
import type { CredentialVault, OwnCredential } from "#server/credentials/index.ts";
import { limits } from "#server/platform/limits.ts";
import type { Candidate } from "#server/policy/index.ts";

/** An endpoint that may be tried, and with whose credential: the organisation's own, else the installation's. */
export interface Target extends Candidate {
  readonly own?: OwnCredential;
  /** The installation's, when it is kept in the database; else it comes from the environment. */
  readonly shared?: OwnCredential;
}

export interface Credentials {
  /** Those in the database, as they stand now. */
  readonly own: () => CredentialVault;
  /** Providers the installation has a credential for, wherever it is kept, by slug. */
  readonly installation: { has(slug: string): boolean };
}

/**
 * Every candidate once for each credential it can be reached with: the organisation's own first, then the
 * installation's, then those kept in reserve.
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
    const stored = vault.of(use, endpoint.provider.slug);
    const withOwn = (fallback: boolean) =>
      stored.filter((one) => one.fallback === fallback).map((one) => ({ ...candidate, own: one }));
    const shared = vault.shared(endpoint.provider.slug);
    const reachable = whyUnusable(endpoint, installation) === null;
    const installations = reachable ? [shared ? { ...candidate, shared } : candidate] : [];
    return [...withOwn(false), ...installations, ...withOwn(true)];
  });
  return targets.slice(0, limits.upstream.attemptsMax);
}
