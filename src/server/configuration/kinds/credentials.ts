import { ProviderCredentialCreate, ProviderCredentialUpdate } from "#contract/byok.ts";
import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import { secretMask } from "#contract/destination.ts";
import {
  createCredential,
  credentialSecret,
  listCredentials,
  removeCredential,
  updateCredential,
} from "#server/credentials/index.ts";
import { changedSecret } from "#server/destinations/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { changedInput, everyPage, type Kind, textOf } from "../kind.ts";
import type { Session } from "../session.ts";

const form = configurationForms.credentials;
const defaults = { disabled: false, is_fallback: false, shared: false, sort_order: 0 };

/** Sets of names. */
const asSets = (values: Values): Values => ({
  ...values,
  ...(Array.isArray(values.allowed_models) && {
    allowed_models: [...new Set<string>(values.allowed_models)].sort(),
  }),
  ...(Array.isArray(values.keys) && { keys: [...new Set<string>(values.keys)].sort() }),
});

const keysOf = ({ database, caller }: Session) =>
  database.prisma.api_key.findMany({
    where: { org_id: caller.orgId },
    select: { id: true, public_id: true },
  });

/** REST names API keys by their hashes. */
async function withHashes(session: Session, { allowed_api_key_ids: ids, ...input }: Values): Promise<Values> {
  if (ids === undefined) return input;
  if (!Array.isArray(ids)) return { ...input, allowed_api_key_hashes: null };
  const hashes = new Map((await keysOf(session)).map((key) => [key.id, key.public_id]));
  return { ...input, allowed_api_key_hashes: ids.map((id) => hashes.get(id)) };
}

const depsOf = ({ database, later, sealer }: Session) => ({ database, catalogues: later, sealer });

export const credentials: Kind = {
  kind: "credentials",
  form,
  permissions: { read: "byok:read", write: "byok:write", delete: "byok:write" },
  secretFields: ["secret"],
  defaults,
  fixed: [],
  isReplaced: false,
  comment: "Credentials for providers. `secret` refers to the API key of the provider.",
  identify({ provider, name }) {
    const text = `${textOf(name)} (${textOf(provider)})`;
    return { key: text, name: text };
  },
  workspaceOf: () => null,
  async read(session) {
    const { database, sealer, as, names } = session;
    const reader = as("byok:read");
    const rows = await everyPage(
      (paging) => listCredentials({ database, sealer }, reader, paging),
      limits.lists.rowsMax,
    );
    const ids = new Map((await keysOf(session)).map(({ id, public_id }) => [public_id, id]));
    return rows.map((row) => {
      const { provider, name, disabled, is_fallback, shared, sort_order, allowed_models } = row;
      // Keys that were deleted are left out.
      const keys = row.allowed_api_key_hashes?.flatMap((hash) => ids.get(hash) ?? []) ?? null;
      const settings = { provider, name, disabled, is_fallback, shared, sort_order, allowed_models };
      const values = { ...settings, keys: keys?.map((id) => names.nameOf("keys", id)), secret: secretMask };
      return { id: row.id, values: asSets(values) };
    });
  },
  async comparable(session, values, current) {
    const given = session.secrets.get(textOf(values.secret));
    const stored =
      given === undefined || !current
        ? given
        : await credentialSecret(session, session.as("byok:read"), current.id);
    if (
      !session.later
        .of(values.shared === true ? null : session.caller.orgId)
        .providers.has(textOf(values.provider))
    )
      throw new AppError("BAD_REQUEST", "provider: is not in the catalogue", { param: "provider" });
    return asSets({ ...values, secret: given === stored ? secretMask : changedSecret });
  },
  async create(session, values) {
    const input = form.input(values, (...reference) => session.names.idOf(...reference));
    const complete = {
      ...(await withHashes(session, input)),
      key: session.secrets.get(textOf(values.secret)),
    };
    return createCredential(
      depsOf(session),
      session.as("byok:write"),
      ProviderCredentialCreate.parse(complete),
    );
  },
  async update(session, difference) {
    const input = await withHashes(session, changedInput({ form, defaults }, session, difference));
    const { provider: _, ...changed } = input;
    const key = difference.changed.has("secret") && session.secrets.get(textOf(difference.values.secret));
    await updateCredential(
      depsOf(session),
      session.as("byok:write"),
      ProviderCredentialUpdate.parse({ ...changed, ...(key && { key }), id: difference.id }),
    );
  },
  remove: ({ database, as }, id) => removeCredential({ database }, as("byok:write"), id),
};
