import { z } from "zod";
import {
  CredentialCheck,
  CredentialCheckRequest,
  ProviderCredential,
  ProviderCredentialCreate,
  ProviderCredentialQuery,
  ProviderCredentialUpdate,
} from "#contract/byok.ts";
import { DeletedForClients, data, dataList, Uuid } from "#contract/common.ts";
import {
  assertCredentialForm,
  checkStored,
  createCredential,
  getCredential,
  knownProvider,
  listCredentials,
  removeCredential,
  updateCredential,
} from "#server/credentials/index.ts";
import { checkCredential } from "#server/inference/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Provider credentials";
const ById = z.object({ id: Uuid.describe("ID of the credential.") });

export const byokRouter = router({
  list: permitted("byok:read", "organisation")
    .meta(
      rest("GET", "/byok", {
        summary: "List the organisation's own provider credentials",
        description: "In the order in which they are tried. Secrets are never shown.",
        tag,
      }),
    )
    .input(ProviderCredentialQuery)
    .output(dataList(ProviderCredential))
    .query(({ ctx, input }) => listCredentials(ctx.services, ctx.caller, input)),

  create: permitted("byok:write", "organisation")
    .meta(
      rest("POST", "/byok", {
        opaque: ["key"],
        summary: "Add your own provider credential",
        description:
          "Requests of your organisation use it before the installation's credential, or after it with " +
          "`is_fallback`. The provider bills you directly: `cost` is 0 and `is_byok` true. With `shared` it is " +
          "the installation's credential instead: it serves every organisation at the usual price; only for the " +
          "organisation that runs the installation. The key is stored encrypted and never shown again.",
        tag,
        status: 201,
        errors: [404],
        example: { provider: "mistral", name: "Our Mistral account", key: "example-provider-key" },
        audit: { action: "byok.create", configuration: true },
      }),
    )
    .input(ProviderCredentialCreate)
    .output(data(ProviderCredential))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await createCredential(services, caller, input),
    })),

  get: permitted("byok:read", "organisation")
    .meta(
      rest("GET", "/byok/{id}", {
        summary: "Get a provider credential",
        description: "With its settings and the result of its last check, without its key.",
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(ProviderCredential))
    .query(async ({ ctx, input }) => ({ data: await getCredential(ctx.services, ctx.caller, input.id) })),

  update: permitted("byok:write", "organisation")
    .meta(
      rest("PATCH", "/byok/{id}", {
        opaque: ["key"],
        summary: "Change a provider credential",
        description:
          "Changes only the fields that are sent. A new `key` replaces the old one within two seconds everywhere.",
        tag,
        errors: [404],
        example: { disabled: true },
        audit: { action: "byok.update", configuration: true },
      }),
    )
    .input(ProviderCredentialUpdate)
    .output(data(ProviderCredential))
    .mutation(async ({ ctx: { services, caller }, input }) => ({
      data: await updateCredential(services, caller, input),
    })),

  remove: permitted("byok:write", "organisation")
    .meta(
      rest("DELETE", "/byok/{id}", {
        summary: "Remove a provider credential",
        description: "Requests stop using it within two seconds everywhere.",
        tag,
        errors: [404],
        audit: { action: "byok.delete", configuration: true },
      }),
    )
    .input(ById)
    .output(DeletedForClients)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      await removeCredential(services, caller, input.id);
      return deleted;
    }),

  check: permitted("byok:write", "organisation")
    .meta(
      rest("POST", "/byok/{id}/check", {
        summary: "Test a credential with its provider",
        description:
          "Requests the list of models, which is free. Answers 200 whatever the provider answers. Ten tests a " +
          "minute per organisation, including those of destinations.",
        tag,
        rateLimit: "test",
        errors: [404],
        audit: { none: "nothing is changed but what was found" },
      }),
    )
    .input(ById)
    .output(data(CredentialCheck))
    .mutation(async ({ ctx: { services, caller }, input }) => {
      const { catalogues, inference } = services;
      const found = await checkStored(services, caller, input.id, ({ provider, shared }, secret) =>
        checkCredential(
          inference,
          catalogues.of(shared ? null : caller.orgId).providers.get(provider),
          secret,
        ),
      );
      return { data: found };
    }),

  checkUnsaved: permitted("byok:write", "organisation")
    .meta(
      rest("POST", "/byok/check", {
        opaque: ["key"],
        summary: "Test a credential before it is added",
        description: "Like the test of a stored credential, but nothing is stored.",
        tag,
        rateLimit: "test",
        example: { provider: "mistral", key: "example-provider-key" },
        audit: { none: "nothing is changed" },
      }),
    )
    .input(CredentialCheckRequest)
    .output(data(CredentialCheck))
    .mutation(async ({ ctx: { services, caller }, input }) => {
      const { inference } = services;
      const catalogue = catalogueFor(services, caller);
      const slug = knownProvider(catalogue, input.provider, true);
      assertCredentialForm(catalogue, slug, input.key);
      const provider = catalogue.providers.get(slug);
      return { data: await checkCredential(inference, provider, input.key) };
    }),
});
