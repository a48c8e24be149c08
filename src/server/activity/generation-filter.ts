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

/** The conditions of a `select … from generation`: the caller's rows that match the filter. */
export function matching(caller: Caller, filter: GenerationFilter): Prisma.Sql {
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
    find,
  } = filter;
  return Prisma.join(
    [
      Prisma.sql`org_id = ${caller.orgId}::uuid`,
      ...(workspaceId ? [Prisma.sql`workspace_id = ${workspaceId}::uuid`] : []),
      ...(from ? [Prisma.sql`started_at >= ${from}::timestamptz`] : []),
      ...(to ? [Prisma.sql`started_at < ${to}::timestamptz`] : []),
      ...(status?.length ? [Prisma.sql`status in (${Prisma.join(status)})`] : []),
      ...(model ? [Prisma.sql`coalesce(model, model_requested) = ${model}`] : []),
      ...(provider ? [Prisma.sql`provider = ${provider}`] : []),
      ...(keyId ? [Prisma.sql`api_key_id = ${keyId}::uuid`] : []),
      ...(preset ? [withPreset(preset)] : []),
      ...(errorCode ? [Prisma.sql`error_code = ${errorCode}`] : []),
      ...(find ? [found(find)] : []),
    ],
    " and ",
  );
}
