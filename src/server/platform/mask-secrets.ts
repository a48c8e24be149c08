/**
 * The forms of API keys: those of an installation like this (prefix, 55 characters, checksum), and those of providers
 * and code hosts with a recognizable prefix.
 */
const forms = [
  "[a-z][a-z0-9]{1,15}_[0-9A-Za-z]{61,}",
  "(?:sk|csk|xai|pplx|nvapi|glpat)-[A-Za-z0-9_-]{20,}",
  "(?:gsk|hf|r8|fw|rpa|jina|tgp_v1|gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}",
  "pa-[A-Za-z0-9_-]{40,}",
  "AIza[A-Za-z0-9_-]{35}",
  "(?:AKIA|ASIA)[A-Z0-9]{16}",
  "ABSK[A-Za-z0-9+/=]{40,}",
  "ya29\\.[A-Za-z0-9_-]{20,}",
  "xox[abeprs]-[A-Za-z0-9-]{20,}",
  // From the beginning of a word only: from within it every part would be searched to the end of it again.
  "(?<![_-])eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}",
];
const source = `(?<![A-Za-z0-9])(?:${forms.join("|")})`;
const secret = new RegExp(source);
const everySecret = new RegExp(source, "g");

/** No secret is shorter: most text that is asked about is. */
const charactersMin = 20;
const beginning = /^(?:[a-z][a-z0-9]{1,15}_|[A-Za-z0-9]{2,6}[-_.]|.{4})/;

/** `ptl_0f3K…9aZq`: enough to tell whose it is and which, and no more. */
const masked = (key: string): string => `${beginning.exec(key)?.[0] ?? ""}…${key.slice(-4)}`;

const isSuspect = (text: string): boolean => text.length >= charactersMin && secret.test(text);

/** The text with everything that has the form of an API key cut down to its beginning and its last four characters. */
export const maskSecrets = (text: string): string =>
  isSuspect(text) ? text.replace(everySecret, masked) : text;

/** Looks without making anything: nearly always there is nothing to mask. */
function holdsSecret(value: unknown): boolean {
  if (typeof value === "string") return isSuspect(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsSecret);
  for (const name in value)
    if (isSuspect(name) || holdsSecret((value as Record<string, unknown>)[name])) return true;
  return false;
}

function maskedIn(value: unknown): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(maskedIn);
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [maskSecrets(name), maskedIn(held)]));
}

/** The same for every text and every name in a value of JSON; the value itself when there is nothing to mask. */
export const maskSecretsIn = <T>(value: T): T => (holdsSecret(value) ? (maskedIn(value) as T) : value);
