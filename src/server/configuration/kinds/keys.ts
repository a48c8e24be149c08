import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import { type ApiKey, ApiKeyCreate, ApiKeyUpdate } from "#contract/key.ts";
import { inferencePermissions } from "#contract/permission.ts";
import {
  createKey,
  isPlaygroundKey,
  listKeys,
  publicIdOf,
  removeKey,
  updateKey,
} from "#server/keys/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { changedInput, everyPage, type Kind, textOf, workspaceField } from "../kind.ts";
import type { Session } from "../session.ts";

const form = configurationForms.keys;
const defaults = { permissions: [...inferencePermissions], disabled: false, include_byok_in_limit: false };

/** Permissions and models are sets. Times are compared in UTC. */
const asSets = (values: Values): Values => ({
  ...values,
  ...(Array.isArray(values.permissions) && { permissions: [...new Set<string>(values.permissions)].sort() }),
  ...(Array.isArray(values.allowed_models) && {
    allowed_models: [...new Set<string>(values.allowed_models)].sort(),
  }),
  ...(typeof values.expires_at === "string" && { expires_at: isoTime(Date.parse(values.expires_at)) }),
});

/** Keys of apps, of the playground, of limited keys, and expired ones cannot be described in a file. */
const isDescribable = (key: ApiKey, orgId: string): boolean =>
  key.app_host === null &&
  key.parent_hash === null &&
  !isPlaygroundKey(orgId, key) &&
  (key.expires_at === null || Date.parse(key.expires_at) > clock.nowMs());

const readKeys = async ({ database, as }: Session): Promise<ApiKey[]> => {
  const reader = as("keys:read");
  return everyPage(
    (paging) => listKeys(database, reader, { ...paging, include_disabled: true }),
    limits.lists.rowsMax,
  );
};

const findHash = async ({ database, caller }: Session, id: string): Promise<string | undefined> => {
  const where = { id, org_id: caller.orgId };
  return (await database.prisma.api_key.findFirst({ where, select: { public_id: true } }))?.public_id;
};
const hashOf = async (session: Session, id: string): Promise<string> =>
  found(await findHash(session, id), "API key");

export const keys: Kind = {
  kind: "keys",
  form,
  permissions: { read: "keys:read", write: "keys:write", delete: "keys:write" },
  secretFields: ["secret"],
  defaults,
  fixed: ["service_account"],
  isReplaced: false,
  comment: "API keys. A new one is generated and shown once, unless `secret` refers to it.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: workspaceField,
  async read(session) {
    const { caller, names, database } = session;
    const makers = await database.prisma.api_key.findMany({
      where: { org_id: caller.orgId, maker_id: { not: null } },
      select: { id: true, maker_id: true },
    });
    const makerOf = new Map(makers.map(({ id, maker_id }) => [id, maker_id]));
    const rows = (await readKeys(session)).filter((key) => isDescribable(key, caller.orgId));
    return rows.map((row) => {
      const { name, permissions, allowed_models, limit, limit_reset, requests_per_minute, expires_at } = row;
      const owner = names.nameOf("service_accounts", row.creator_user_id);
      const values = {
        name,
        permissions,
        allowed_models,
        limit,
        limit_reset,
        include_byok_in_limit: row.include_byok_in_limit,
        requests_per_minute,
        expires_at,
        disabled: row.disabled,
        workspace: row.workspace_id && names.nameOf("workspaces", row.workspace_id),
        service_account: owner === row.creator_user_id ? null : owner,
      };
      return {
        id: row.id,
        values: asSets(values),
        isKept: caller.kind === "key" && caller.keyId === row.id,
        endsWithId: makerOf.get(row.id) ?? null,
      };
    });
  },
  async comparable(session, { secret, ...values }, current) {
    const given = session.secrets.get(textOf(secret));
    if (given !== undefined && current) {
      if (publicIdOf(given, session.keyPrefix) !== (await hashOf(session, current.id)))
        throw new AppError(
          "BAD_REQUEST",
          "secret: the key has another secret; to replace it, delete the key and create another",
          { param: "secret" },
        );
    }
    return asSets(values);
  },
  async create({ database, as, names, keyPrefix, secrets }, values) {
    const input = ApiKeyCreate.parse(form.input(values, (...reference) => names.idOf(...reference)));
    // What a file leaves out is not inherited from the key that applies it.
    const complete = {
      ...input,
      workspace_id: input.workspace_id ?? null,
      allowed_models: input.allowed_models ?? null,
      requests_per_minute: input.requests_per_minute ?? null,
      expires_at: input.expires_at ?? null,
      include_byok_in_limit: input.include_byok_in_limit ?? false,
    };
    const given = secrets.get(textOf(values.secret));
    const writer = as("keys:write");
    const { data, key } = await createKey(database, writer, keyPrefix, complete, given);
    return { id: data.id, ...(given === undefined && { key }) };
  },
  async update(session, difference) {
    const { database, as } = session;
    const input = ApiKeyUpdate.parse({
      ...changedInput({ form, defaults }, session, difference),
      hash: await hashOf(session, difference.id),
    });
    await updateKey(database, as("keys:write"), input);
  },
  async remove(session, id) {
    const hash = await findHash(session, id);
    // It has ended already if it was created by a key that was deleted before.
    if (hash === undefined) return;
    await removeKey(session.database, session.as("keys:write"), hash);
  },
};
