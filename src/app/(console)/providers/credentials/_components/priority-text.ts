import type { ProviderCredential } from "#contract/byok.ts";

const counted = (count: number, what: string): string => {
  if (count === 0) return `no ${what}`;
  return `${count} ${what}${count === 1 ? "" : "s"}`;
};

/** Whom a credential serves and when, of all there are: what decides whether a request is sent with it. */
export function priorityText(
  credential: ProviderCredential,
  all: readonly ProviderCredential[],
): { readonly when: string; readonly only: string | null } {
  const { allowed_models: models, allowed_api_key_hashes: keys } = credential;
  const alike = all.filter(
    ({ provider, shared, is_fallback, disabled }) =>
      !disabled &&
      provider === credential.provider &&
      shared === credential.shared &&
      is_fallback === credential.is_fallback,
  );
  const place = alike.findIndex(({ id }) => id === credential.id) + 1;
  const order = place > 0 && alike.length > 1 ? `, ${place} of ${alike.length}` : "";
  const when = credential.shared
    ? "All organisations"
    : credential.is_fallback
      ? "After the shared credential"
      : "Before the shared credential";
  const limits = [models && counted(models.length, "model"), keys && counted(keys.length, "key")].filter(
    (limit) => limit !== null,
  );
  const none = models?.length === 0 || keys?.length === 0;
  return {
    when: `${when}${order}`,
    only: limits.length > 0 ? `${none ? "for" : "only"} ${limits.join(", ")}` : null,
  };
}
