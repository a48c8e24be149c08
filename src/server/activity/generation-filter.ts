import type { GenerationFilter } from "#contract/generation.ts";
import { generationIdOf } from "#contract/generation-id.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { workspaceOf } from "#server/access/scope.ts";

/** Matches a generation's id with or without its prefix, a request id or a session id; each has an index. */
function found(id: string): Prisma.Sql {
  const uuid = generationIdOf(id);
  return uuid
    ? Prisma.sql`(id = ${uuid}::uuid or request_id = ${id} or session_id = ${id})`
    : Prisma.sql`(request_id = ${id} or session_id = ${id})`;
}

/** Matches the recorded preset, such as `support@3`: with its version, or in every version. */
const withPreset = (preset: string): Prisma.Sql =>
  preset.includes("@")
    ? Prisma.sql`parameters->>'preset' = ${preset}`
    : Prisma.sql`split_part(parameters->>'preset', '@', 1) = ${preset}`;

/** Conditions of a `select … from generation`, joined with `and`. */
export interface Conditions {
  /** The organisation's rows of a time span, which have an index. */
  readonly within: Prisma.Sql;
  /** Everything else, which is compared row by row, except for `find`. */
  readonly having: Prisma.Sql;
}

const all = (conditions: readonly Prisma.Sql[]): Prisma.Sql =>
  conditions.length === 0 ? Prisma.sql`true` : Prisma.join([...conditions], " and ");

/** The caller's rows that match the filter. */
export function conditionsOf(caller: Caller, filter: GenerationFilter): Conditions {
  const workspaceId = workspaceOf(caller);
  const {
    from,
    to,
    status,
    model,
    provider,
    api_key_id: keyId,
    preset,
    error_code: errorCode,
    region,
    app_title: app,
    user_reference: user,
    find,
  } = filter;
  return {
    within: all([
      Prisma.sql`org_id = ${caller.orgId}::uuid`,
      ...(from ? [Prisma.sql`started_at >= ${from}::timestamptz`] : []),
      ...(to ? [Prisma.sql`started_at < ${to}::timestamptz`] : []),
    ]),
    having: all([
      ...(workspaceId ? [Prisma.sql`workspace_id = ${workspaceId}::uuid`] : []),
      ...(status?.length ? [Prisma.sql`status in (${Prisma.join(status)})`] : []),
      ...(model ? [Prisma.sql`coalesce(model, model_requested) = ${model}`] : []),
      ...(provider ? [Prisma.sql`provider = ${provider}`] : []),
      ...(keyId ? [Prisma.sql`api_key_id = ${keyId}::uuid`] : []),
      ...(preset ? [withPreset(preset)] : []),
      ...(errorCode ? [Prisma.sql`error_code = ${errorCode}`] : []),
      ...(region ? [Prisma.sql`region = ${region}`] : []),
      ...(app ? [Prisma.sql`app_title = ${app}`] : []),
      ...(user ? [Prisma.sql`user_reference = ${user}`] : []),
      ...(find ? [found(find)] : []),
    ]),
  };
}
