import { type RoutingRuleCreate, type RuleScope, scopeOf } from "#contract/routing-rule.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Caller } from "#server/access/caller.ts";
import { beyondWorkspace, ownRows, workspaceOf } from "#server/access/scope.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import type { Tx } from "#server/db/index.ts";
import { AppError, found, notFound } from "#server/platform/errors.ts";

/**
 * The rules a caller can see: their own, those of their organisation and its workspaces, those of their keys
 * (administrators: of all keys). Foreign rules do not exist for them. A key of a workspace sees what binds there.
 */
export async function visibleRules(tx: Tx, caller: Caller): Promise<Prisma.routing_ruleWhereInput> {
  const own = (await isAdministrator(tx, caller)) ? {} : { user_id: caller.userId };
  const workspaceId = workspaceOf(caller);
  const here = workspaceId === null ? {} : { workspace_id: workspaceId };
  const binding = workspaceId === null ? {} : { OR: [{ workspace_id: null }, here] };
  return {
    org_id: caller.orgId,
    OR: [
      { scope: "org", ...binding },
      { scope: "workspace", ...here },
      { scope: "user", owner_id: caller.userId, ...binding },
      { scope: "api_key", ...binding, api_key: { ...own, ...here } },
    ],
  };
}

export interface Place {
  readonly owner_id: string;
  readonly workspace_id: string | null;
  readonly api_key_id: string | null;
}

const needed = (param: string, scope: RuleScope): AppError =>
  new AppError("BAD_REQUEST", `${param}: is required for a rule of scope ${scope}`, { param });

async function assertAdministrator(tx: Tx, caller: Caller, scope: RuleScope): Promise<void> {
  if (await isAdministrator(tx, caller)) return;
  throw new AppError(
    "FORBIDDEN",
    `Rules of scope ${scope} bind others: only owners and admins may write them`,
    {
      param: "scope",
    },
  );
}

async function findWorkspace(tx: Tx, caller: Caller, id: string): Promise<string> {
  const own = workspaceOf(caller);
  const workspace = await tx.workspace.findFirst({
    where: { AND: [{ id, org_id: caller.orgId }, own === null ? {} : { id: own }] },
    select: { id: true },
  });
  return found(workspace, "workspace", "workspace_id").id;
}

async function findKey(tx: Tx, caller: Caller, id: string): Promise<string> {
  const own = (await isAdministrator(tx, caller)) ? {} : { user_id: caller.userId };
  const key = await tx.api_key.findFirst({
    where: { id, ...ownRows(caller), ...own },
    select: { id: true },
  });
  return found(key, "API key", "api_key_id").id;
}

type Placer = (tx: Tx, caller: Caller, input: RoutingRuleCreate) => Promise<Place>;

/** The workspace a rule of another scope is confined to; null for everywhere. */
const confinedTo = async (tx: Tx, caller: Caller, { workspace_id: id }: RoutingRuleCreate) =>
  id ? findWorkspace(tx, caller, id) : null;

/** Where a new rule belongs, by its scope. Ids of other organisations are not found. */
const placers: Record<RuleScope, Placer> = {
  user: async (tx, caller, input) => ({
    owner_id: caller.userId,
    workspace_id: await confinedTo(tx, caller, input),
    api_key_id: null,
  }),
  org: async (tx, caller, input) => ({
    owner_id: caller.orgId,
    workspace_id: await confinedTo(tx, caller, input),
    api_key_id: null,
  }),
  async workspace(tx, caller, { workspace_id: workspaceId }) {
    if (!workspaceId) throw needed("workspace_id", "workspace");
    const id = await findWorkspace(tx, caller, workspaceId);
    return { owner_id: id, workspace_id: id, api_key_id: null };
  },
  async api_key(tx, caller, input) {
    if (!input.api_key_id) throw needed("api_key_id", "api_key");
    const id = await findKey(tx, caller, input.api_key_id);
    return { owner_id: id, workspace_id: await confinedTo(tx, caller, input), api_key_id: id };
  },
};

/**
 * Where a rule would belong; what a key of a workspace writes is confined to that. Throws NOT_FOUND or BAD_REQUEST
 * naming the field that does not fit the scope, and FORBIDDEN for a rule that would bind more than such a key may.
 */
export async function locate(tx: Tx, caller: Caller, input: RoutingRuleCreate): Promise<Place> {
  if (input.org_id && input.org_id !== caller.orgId) throw notFound("organisation", "org_id");
  const scope = scopeOf(input);
  const workspaceId = workspaceOf(caller);
  if (workspaceId !== null && scope === "org") throw beyondWorkspace("scope");
  return placers[scope](tx, caller, { ...input, workspace_id: input.workspace_id ?? workspaceId });
}

/** Where a rule the caller writes belongs. Throws as `locate` does, and FORBIDDEN when it binds others. */
export async function placeFor(tx: Tx, caller: Caller, input: RoutingRuleCreate): Promise<Place> {
  const place = await locate(tx, caller, input);
  await assertMayWriteRule(tx, caller, { scope: scopeOf(input), workspace_id: place.workspace_id });
  return place;
}

/**
 * Everybody who can see a rule of one person may change it; a rule for others requires an administrator, and one that
 * applies outside a workspace is not for a key of it.
 */
export async function assertMayWriteRule(
  tx: Tx,
  caller: Caller,
  { scope, workspace_id }: { readonly scope: string; readonly workspace_id: string | null },
): Promise<void> {
  const own = workspaceOf(caller);
  if (own !== null && (scope === "org" || (scope === "user" && workspace_id !== own)))
    throw beyondWorkspace();
  if (scope === "org" || scope === "workspace") await assertAdministrator(tx, caller, scope);
}
