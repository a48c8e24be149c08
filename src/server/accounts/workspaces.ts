import type { Workspace, WorkspaceCreate, WorkspaceListQuery, WorkspaceUpdate } from "#contract/workspace.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import type { OrganisationCaller } from "#server/access/scope.ts";
import { changeConfiguration, changeRecords } from "#server/audit/change.ts";
import { type Database, type Page, readPage, type Tx } from "#server/db/index.ts";
import { AppError, notFound } from "#server/platform/errors.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import { readSpending, resetChange } from "./spending.ts";
import { columns, findWorkspace, recorded, shown, toWire, visible } from "./workspace-rows.ts";

/** Returns the workspaces of the caller's organisation by name, with the costs of their keys. */
export async function listWorkspaces(
  database: Database,
  caller: Authorized<"workspaces:read">,
  query: WorkspaceListQuery,
): Promise<Page<Workspace>> {
  const where = visible(caller);
  const { prisma } = database;
  return readPage(query, {
    rows: (window) =>
      prisma.workspace.findMany({ where, select: columns, orderBy: { name: "asc" }, ...window }),
    count: () => prisma.workspace.count({ where }),
    async toWire(rows) {
      const ids = rows.map(({ id }) => id);
      const spending = await readSpending(prisma, ids);
      return rows.map((row) => toWire(row, spending.get(row.id)));
    },
  });
}

export async function getWorkspace(
  database: Database,
  caller: Authorized<"workspaces:read">,
  id: string,
): Promise<Workspace> {
  return shown(database.prisma, await findWorkspace(database.prisma, caller, id));
}

export async function createWorkspace(
  database: Database,
  caller: Authorized<"workspaces:write", "organisation">,
  { name, slug, description, limit, limit_reset }: WorkspaceCreate,
): Promise<Workspace> {
  return changeRecords(database, caller, "workspace.create", async (tx) => {
    const row = await tx.workspace.create({
      data: {
        org_id: caller.orgId,
        name,
        slug: slug ?? null,
        description: description ?? null,
        limit_pico_eur: limit == null ? null : picoFromDecimal(limit).toString(),
        limit_reset: limit == null ? null : (limit_reset ?? null),
      },
      select: columns,
    });
    return { result: toWire(row), audit: { id: row.id, after: recorded(row) } };
  });
}

/** Changes only the fields that were sent; `null` clears. A limit applies in every process within two seconds. */
export async function updateWorkspace(
  database: Database,
  caller: Authorized<"workspaces:write", "organisation">,
  { id: ref, name, slug, description, limit, limit_reset }: WorkspaceUpdate,
): Promise<Workspace> {
  return changeConfiguration(database, caller, "workspace.update", async (tx) => {
    const before = await findWorkspace(tx, caller, ref);
    const { id } = before;
    const after = await tx.workspace.update({
      where: { id, org_id: caller.orgId },
      data: {
        ...(name !== undefined && { name }),
        ...(slug !== undefined && { slug }),
        ...(description !== undefined && { description }),
        ...(limit !== undefined && {
          limit_pico_eur: limit === null ? null : picoFromDecimal(limit).toString(),
        }),
        ...resetChange(before, { limit, limit_reset }),
      },
      select: columns,
    });
    return {
      result: await shown(tx, after),
      audit: { id, before: recorded(before), after: recorded(after) },
    };
  });
}

/** The names and counts of what prevents the deletion of a workspace. */
async function usersOf(tx: Tx, { orgId }: Caller, id: string): Promise<Record<string, number>> {
  const where = { workspace_id: id, org_id: orgId };
  const counts = {
    api_keys: await tx.api_key.count({ where }),
    routing_rules: await tx.routing_rule.count({ where }),
    destinations: await tx.destination.count({ where }),
    presets: await tx.preset.count({ where }),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** Deletes an empty workspace. Throws CONFLICT, naming what still belongs to it. */
export async function removeWorkspace(
  database: Database,
  caller: Authorized<"workspaces:write", "organisation">,
  ref: string,
): Promise<void> {
  await changeConfiguration(database, caller, "workspace.delete", async (tx) => {
    const before = await findWorkspace(tx, caller, ref);
    const { id } = before;
    // Concurrent changes that add something to the workspace wait for this lock, and then find it deleted.
    const locked = await tx.$queryRaw<unknown[]>`
      select id from workspace where id = ${id}::uuid and org_id = ${caller.orgId}::uuid for update`;
    if (locked.length === 0) throw notFound("workspace", "id");
    const users = await usersOf(tx, caller, id);
    const named = Object.entries(users).map(([what, count]) => `${count} ${what}`);
    if (named.length > 0) {
      throw new AppError("CONFLICT", `The workspace is still in use: ${named.join(", ")}`, {
        metadata: { used_by: users },
      });
    }
    await tx.workspace.delete({ where: { id, org_id: caller.orgId } });
    return { result: undefined, audit: { id, before: recorded(before) } };
  });
}

/** Returns the workspaces of the caller's organisation by name, for selection. */
export async function workspacesOf(
  database: Database,
  { orgId }: OrganisationCaller,
): Promise<{ id: string; name: string }[]> {
  return database.prisma.workspace.findMany({
    where: { org_id: orgId },
    orderBy: { name: "asc" },
    select: { id: true, name: true },
  });
}
