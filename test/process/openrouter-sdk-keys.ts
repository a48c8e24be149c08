import type { OpenRouter } from "@openrouter/sdk";
import { expect } from "vitest";

/** A method of the SDK, a call of it, and what the answer must contain. */
export type SdkCall = readonly [method: string, call: () => Promise<unknown>, expected: unknown];

export async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The items of a list, over all pages. */
export async function pagesOf<T>(pages: PromiseLike<AsyncIterable<{ result: { data: T[] } }>>): Promise<T[]> {
  return (await allOf(await pages)).flatMap(({ result }) => result.data);
}

/** The pair of RFC 7636, appendix B. */
const codeVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = {
  codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  codeChallengeMethod: "S256" as const,
};

/** Calls about credit and keys. The SDK throws for what its schemas do not know. */
export async function keyCalls(sdk: OpenRouter): Promise<readonly SdkCall[]> {
  const { data: workspace } = await sdk.workspaces.create({
    createWorkspaceRequest: { name: "Keys", slug: "keys" },
  });
  const workspaceId = workspace.id;
  const newKey = (name: string) => sdk.apiKeys.create({ requestBody: { name, workspaceId, limit: 5 } });
  return [
    ["credits.getCredits", () => sdk.credits.getCredits(), { data: { totalCredits: 10 } }],
    [
      "apiKeys.getCurrentKeyMetadata",
      () => sdk.apiKeys.getCurrentKeyMetadata(),
      { data: { isManagementKey: true, rateLimit: { requests: 1_000_000, interval: "1m" } } },
    ],
    ["apiKeys.create", () => newKey("made"), { data: { name: "made", limit: 5, workspaceId }, key: /^ptl_/ }],
    [
      "apiKeys.list",
      () => sdk.apiKeys.list({ workspaceId }),
      { data: expect.arrayContaining([expect.objectContaining({ workspaceId })]) },
    ],
    [
      "apiKeys.list",
      async () => (await sdk.apiKeys.list({ offset: 0 })).data.map((key) => key.workspaceId),
      expect.arrayContaining(["", workspaceId]),
    ],
    [
      "apiKeys.create",
      () => sdk.apiKeys.create({ requestBody: { name: "of none", limit: 1 } }),
      { data: { workspaceId: "" } },
    ],
    [
      "apiKeys.get",
      async () => sdk.apiKeys.get({ hash: (await newKey("read")).data.hash }),
      { data: { name: "read" } },
    ],
    [
      "apiKeys.update",
      async () =>
        sdk.apiKeys.update({
          hash: (await newKey("old")).data.hash,
          requestBody: { name: "new", disabled: true },
        }),
      { data: { name: "new", disabled: true } },
    ],
    [
      "apiKeys.delete",
      async () => sdk.apiKeys.delete({ hash: (await newKey("gone")).data.hash }),
      { deleted: true },
    ],
  ];
}

/** Calls about credentials and apps. */
export function credentialCalls(sdk: OpenRouter): readonly SdkCall[] {
  const newCredential = (name: string) =>
    sdk.byok.create({ createBYOKKeyRequest: { provider: "mistral", key: "secret-secret-secret", name } });
  return [
    ["byok.create", () => newCredential("made"), { data: { name: "made", label: "…cret" } }],
    [
      "byok.list",
      async () => (await allOf(await sdk.byok.list())).flatMap(({ result }) => result.data.slice(0, 1)),
      [{ provider: "mistral" }],
    ],
    [
      "byok.get",
      async () => sdk.byok.get({ id: (await newCredential("read")).data.id }),
      { data: { name: "read" } },
    ],
    [
      "byok.update",
      async () =>
        sdk.byok.update({
          id: (await newCredential("old")).data.id,
          updateBYOKKeyRequest: { name: "new", disabled: true },
        }),
      { data: { name: "new", disabled: true } },
    ],
    [
      "byok.delete",
      async () => sdk.byok.delete({ id: (await newCredential("gone")).data.id }),
      { deleted: true },
    ],
    [
      "oAuth.createAuthCode",
      () =>
        sdk.oAuth.createAuthCode({ requestBody: { callbackUrl: "https://app.example/cb", ...challenge } }),
      { data: { id: expect.any(String), appId: 0 } },
    ],
    [
      "oAuth.exchangeAuthCodeForAPIKey",
      async () => {
        const requestBody = { callbackUrl: "https://app.example/cb", ...challenge };
        const { data } = await sdk.oAuth.createAuthCode({ requestBody });
        return sdk.oAuth.exchangeAuthCodeForAPIKey({
          requestBody: { code: data.id, codeVerifier, codeChallengeMethod: "S256" },
        });
      },
      { key: expect.stringMatching(/^ptl_/), userId: expect.any(String) },
    ],
  ];
}
