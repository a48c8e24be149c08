import type {
  CatalogueUpdate,
  CatalogueUpdateApply,
  CatalogueUpdateCreate,
  CatalogueUpdateQuery,
} from "#contract/catalogue-update.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { changeConfiguration, changeRecords } from "#server/audit/change.ts";
import { containing, type Page, readPage, type Tx } from "#server/db/index.ts";
import { clock, dateAt } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { outdated } from "./base-catalogue.ts";
import {
  type Compared,
  compare,
  currentUpdate,
  findUpdate,
  type Manager,
  type UpdateDeps,
} from "./compare.ts";
import { newHosts } from "./new-hosts.ts";
import { readDocument } from "./read-document.ts";
import { columns, newestFirst, recorded, toWire } from "./update-rows.ts";

const conflict = (message: string, param?: string): AppError =>
  new AppError("CONFLICT", message, param === undefined ? {} : { param });

const outrun = (): AppError =>
  conflict("The catalogue in use is another one by now; look at the differences again", "compared_with");

/** Changes of updates come one after the other. */
async function lock(tx: Tx, { orgId }: Manager): Promise<void> {
  await tx.$queryRaw`select id from organisation where id = ${orgId}::uuid for update`;
}

/** Returns the updates, proposed ones first, then the newest. */
export function listUpdates(
  { database, catalogues }: UpdateDeps,
  { orgId }: Manager,
  { search, ...paging }: CatalogueUpdateQuery,
): Promise<Page<CatalogueUpdate>> {
  const { catalogue_update: updates } = database.prisma;
  const where: Prisma.catalogue_updateWhereInput = {
    org_id: orgId,
    ...(search !== undefined && { source: containing(search) }),
  };
  return readPage(paging, {
    rows: (window) => updates.findMany({ where, select: columns, orderBy: [...newestFirst], ...window }),
    count: () => updates.count({ where }),
    toWire: (rows) => rows.map((row) => toWire(row, catalogues.base())),
  });
}

/** Keeps as many updates as undoing may need, and no other proposal. */
async function removeOld(tx: Tx, { orgId }: Manager): Promise<void> {
  await tx.catalogue_update.deleteMany({ where: { org_id: orgId, version: null } });
  const rest = await tx.catalogue_update.findMany({
    where: { org_id: orgId },
    orderBy: [...newestFirst],
    skip: limits.catalogue.updatesMax,
    select: { id: true },
  });
  const current = await currentUpdate(tx);
  const ids = rest.map(({ id }) => id).filter((id) => id !== current?.id);
  await tx.catalogue_update.deleteMany({ where: { org_id: orgId, id: { in: ids } } });
}

/** Stores a document as a proposal, in place of an earlier proposal. Applies nothing. Throws BAD_REQUEST. */
export async function createUpdate(
  deps: UpdateDeps,
  caller: Manager,
  input: CatalogueUpdateCreate,
): Promise<CatalogueUpdate> {
  const { text, source, asOf, digest } = await readDocument(deps, input);
  const row = await changeRecords(deps.database, caller, "catalogue_update.create", async (tx) => {
    await lock(tx, caller);
    await removeOld(tx, caller);
    const data = { id: uuidv7(), org_id: caller.orgId, source, as_of: asOf, digest, document: text };
    const made = await tx.catalogue_update.create({ data, select: columns });
    return { result: made, audit: { id: made.id, after: recorded(made) } };
  });
  return toWire(row, deps.catalogues.base());
}

/** Throws if the update may not be applied, although its document is valid. */
function assertApplicable(
  { files }: UpdateDeps,
  { before, after }: Compared,
  { compared_with: seen, accept_hosts: accepted }: CatalogueUpdateApply,
): void {
  if (seen !== null && seen !== before.digest) throw outrun();
  const problem = outdated(after.document, files);
  if (problem !== null) throw conflict(problem, "id");
  const missing = newHosts(before.laid.catalogue, after.laid.catalogue)
    .map(({ host }) => host)
    .filter((host) => !accepted.includes(host));
  if (missing.length > 0)
    throw conflict(
      `accept_hosts: must name all new hosts, to which stored credentials will be sent; missing are ${[...new Set(missing)].join(", ")}`,
      "accept_hosts",
    );
}

/** Applies an update. Throws NOT_FOUND, BAD_REQUEST for a document that cannot be used, and CONFLICT. */
export async function applyUpdate(
  deps: UpdateDeps,
  caller: Manager,
  input: CatalogueUpdateApply,
): Promise<string> {
  const compared = await compare(deps, caller, input.id);
  if (compared.currentId === input.id) return input.id;
  assertApplicable(deps, compared, input);
  return changeConfiguration(deps.database, caller, "catalogue_update.apply", async (tx) => {
    await lock(tx, caller);
    const before = await findUpdate(tx, caller, input.id);
    const current = (await currentUpdate(tx))?.id ?? null;
    if (current !== compared.currentId) throw outrun();
    const { _max } = await tx.catalogue_update.aggregate({ _max: { version: true } });
    const after = await tx.catalogue_update.update({
      where: { id: input.id, org_id: caller.orgId },
      data: { version: (_max.version ?? 0) + 1, applied_at: dateAt(clock.nowMs()), undone_at: null },
      select: columns,
    });
    return { result: after.id, audit: { id: after.id, before: recorded(before), after: recorded(after) } };
  });
}

/** Takes back the newest applied update: the one before it applies again. Throws NOT_FOUND and CONFLICT. */
export async function undoUpdate(deps: UpdateDeps, caller: Manager, id: string): Promise<void> {
  await changeConfiguration(deps.database, caller, "catalogue_update.undo", async (tx) => {
    await lock(tx, caller);
    const before = await findUpdate(tx, caller, id);
    if ((await currentUpdate(tx))?.id !== id)
      throw conflict("Only the newest applied update can be undone", "id");
    const after = await tx.catalogue_update.update({
      where: { id, org_id: caller.orgId },
      data: { undone_at: dateAt(clock.nowMs()) },
      select: columns,
    });
    return { result: undefined, audit: { id, before: recorded(before), after: recorded(after) } };
  });
}
