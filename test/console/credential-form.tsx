import { screen } from "@testing-library/react";
import { vi } from "vitest";
import { CredentialForm } from "#app/(console)/providers/credentials/_components/credential-form.tsx";
import { ProviderCredential } from "#contract/byok.ts";
import { CatalogueModel, CatalogueProvider } from "#contract/catalogue-view.ts";
import { ApiKey } from "#contract/key.ts";
import { sampleOf } from "./arbitrary.ts";
import { renderConsole } from "./render.tsx";
import type { Answers } from "./server.ts";

const providerOf = (slug: string, name: string, auth: string): CatalogueProvider => ({
  ...sampleOf(CatalogueProvider),
  slug,
  name,
  auth,
  unusable: null,
  byok_supported: true,
});
export const providers = [
  providerOf("mistral", "Mistral", "bearer"),
  providerOf("bedrock", "Amazon Bedrock", "sigv4"),
];
export const saved: ProviderCredential = {
  ...sampleOf(ProviderCredential, { gaps: "always" }),
  provider: "mistral",
  name: "Team account",
  last_four: "9x7z",
  sort_order: 3,
  allowed_models: null,
  allowed_api_key_hashes: null,
  shared: false,
  is_fallback: false,
  disabled: false,
};
const models = ["mistral-small", "mistral-large", "claude"].map((id) => ({
  ...sampleOf(CatalogueModel),
  id,
  providers: id === "claude" ? ["anthropic"] : ["mistral"],
}));
export const key: ApiKey = { ...sampleOf(ApiKey), hash: "a".repeat(12), name: "Crawler" };
export const secret = "sk-0123456789abcdef";
const verdict = { success: true, status: 200, message: "The provider accepts the key." };

interface Setting {
  readonly saved?: ProviderCredential;
  readonly chosen?: string;
  readonly operator?: boolean;
  readonly of?: readonly CatalogueProvider[];
  readonly byok?: Answers["byok"];
}

/** The form of a credential; every procedure it uses answers with success unless `byok` replaces it. */
export function openCredentialForm({ of = providers, byok = {}, operator = false, ...form }: Setting = {}) {
  const onDone = vi.fn();
  const view = renderConsole(
    <CredentialForm providers={of} operator={operator} onDone={onDone} {...form} />,
    {
      answers: {
        catalogue: { models: () => ({ data: models }) },
        keys: { list: () => ({ data: [key], total_count: 1 }) },
        byok: {
          create: () => ({ data: saved }),
          update: () => ({ data: saved }),
          check: () => ({ data: verdict }),
          checkUnsaved: () => ({ data: verdict }),
          remove: () => ({ data: { success: true }, deleted: true }),
          ...byok,
        },
      },
    },
  );
  return { ...view, onDone };
}
export const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
export const secretField = () => screen.getByLabelText<HTMLInputElement>(/^API key/);
export const nameField = () => screen.getByLabelText<HTMLInputElement>(/^Name/);
