import type { ProviderEntry } from "./catalogue.ts";

/** One field of a credential as people type it. */
export interface CredentialPart {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly optional?: true;
  /** False for what may be seen while it is typed. */
  readonly secret: boolean;
}

const apiKey: readonly CredentialPart[] = [{ name: "key", label: "API key", secret: true }];

/** What a credential consists of, by how its provider wants it shown; several parts are joined by colons. */
const partsByAuth: Record<ProviderEntry["auth"], readonly CredentialPart[]> = {
  bearer: apiKey,
  "bearer-optional": apiKey,
  "x-api-key": apiKey,
  "x-goog-api-key": apiKey,
  "api-key": [
    {
      name: "key",
      label: "Resource key",
      description: "Key 1 or key 2 of your Azure resource",
      secret: true,
    },
  ],
  sigv4: [
    { name: "id", label: "Access key ID, or a Bedrock API key", secret: true },
    {
      name: "secret",
      label: "Secret access key",
      description: "Required with an access key ID, not with a Bedrock API key",
      optional: true,
      secret: true,
    },
    {
      name: "session",
      label: "Session token",
      description: "Only for temporary credentials",
      optional: true,
      secret: true,
    },
  ],
  oauth2: [
    {
      name: "key",
      label: "Access token",
      description: "Expires after one hour, for testing only",
      secret: true,
    },
  ],
  none: [],
};

/** The fields of a credential for a provider with this `auth`. None where the provider wants no credential. */
export const credentialParts = (auth: string): readonly CredentialPart[] =>
  Object.entries(partsByAuth).find(([name]) => name === auth)?.[1] ?? apiKey;

/** What is wrong with the form of a credential for a provider with this `auth`; null when nothing is. */
export function credentialFault(auth: string, credential: string): string | null {
  const parts = credential.split(":");
  if (auth !== "sigv4" || parts.length === 1) return null;
  if (parts.length <= 3 && parts.every(Boolean)) return null;
  return "must be a Bedrock API key, or <access key id>:<secret access key>[:<session token>]";
}

/** What the fields make together; empty when nothing was typed. */
export const joinedCredential = (auth: string, typed: Readonly<Record<string, string>>): string =>
  credentialParts(auth)
    .map(({ name }) => typed[name]?.trim() ?? "")
    .filter(Boolean)
    .join(":");
