import type {
  CatalogueEntriesCreate,
  CatalogueEntry,
  CatalogueEntryQuery,
  CatalogueEntryUpdate,
} from "#contract/catalogue-entry.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import { authorizeOperator } from "#server/accounts/index.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { containing, type Database, type Page, readPage, readRow, type Tx } from "#server/db/index.ts";
import { AppError, found } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import { type Catalogues, laidOver } from "./catalogues.ts";
import { type AddressChange, credentialMovedBy } from "./credential-origin.ts";
import {
  assertRoom,
  columns,
  entryOf,
  layerOf,
  newestFirst,
  oldestFirst,
  type Row,
  recorded,
  storedEntry,
  toWire,
} from "./entry-rows.ts";
import { assertReachable, type Given, given, wrong } from "./given-entries.ts";
import { bringsAddress } from "./overlay.ts";

type Reader = Authorized<"byok:read", "organisation">;
type Writer = Authorized<"byok:write", "organisation">;

interface EntryDeps {
  readonly database: Database;
  readonly catalogues: Catalogues;
  /** The connections to the providers of a scope. */
  readonly outboundFor: (orgId: string | null) => Outbound;
}

/** Throws BAD_REQUEST if a stored credential would be sent to another host. */
async function assertCredentialStays(
  tx: Tx,
  { catalogues }: EntryDeps,
  orgId: string | null,
  { place, ...change }: AddressChange & Pick<Given, "place">,
): Promise<void> {
  const provider = await credentialMovedBy(tx, orgId, catalogues.of(orgId), change);
  if (provider !== null)
    throw wrong(
      `${place}.base_url`,
      `is on another host, which would receive the stored credential of ${provider}; delete the credential before, and enter it again afterwards`,
    );
}

/** Who is served with the entries of a scope: the organisation, or with null everybody. */
const servedBy = (scope: string, { orgId }: Reader | Writer): string | null =>
  scope === "installation" ? null : orgId;

/** Entries of the installation concern everybody, so they require more. Throws FORBIDDEN. */
async function assertMayWrite(database: Database, caller: Writer, scope: string): Promise<void> {
  if (scope === "installation")
    await authorizeOperator(database, authorize(caller, "billing:write", "organisation"));
}

/** Reads a layer, of which nobody else can change an entry until the transaction ends. */
async function lockedLayer(tx: Tx, { orgId }: Writer, scope: string): Promise<Row[]> {
  await tx.$queryRaw`select id from organisation where id = ${orgId}::uuid for update`;
  return readLayer(tx, orgId, scope);
}

const readLayer = (tx: Tx, org_id: string, scope: string): Promise<Row[]> =>
  tx.catalogue_entry.findMany({ where: { org_id, scope }, select: columns, orderBy: [...oldestFirst] });

/** Throws BAD_REQUEST if one of these entries could not be used. `places` are their places in the request, by ID. */
function assertUsable(
  { catalogues }: EntryDeps,
  orgId: string | null,
  rows: readonly Row[],
  places: ReadonlyMap<string, string>,
): void {
  const entries = rows.flatMap((row) => readRow(() => entryOf(row)).value ?? []);
  const { problems } = laidOver(catalogues.below(orgId), layerOf(orgId, entries, "changed"));
  for (const [id, place] of places) {
    const problem = problems.get(id);
    if (problem !== undefined) throw wrong(place, problem);
  }
}

const shown = ({ catalogues }: Pick<EntryDeps, "catalogues">, caller: Reader | Writer, row: Row) => {
  const orgId = servedBy(row.scope, caller);
  return toWire(row, catalogues.below(orgId), catalogues.laid(orgId).problems);
};

const findEntry = async (tx: Tx, { orgId }: Reader | Writer, id: string): Promise<Row> =>
  found(
    await tx.catalogue_entry.findFirst({ where: { id, org_id: orgId }, select: columns }),
    "catalogue entry",
    "id",
  );

/** Returns the entries that the caller's organisation manages, the newest first. */
export async function listEntries(
  deps: Pick<EntryDeps, "database" | "catalogues">,
  caller: Reader,
  { search, scope, section, enabled, provider, ...paging }: CatalogueEntryQuery,
): Promise<Page<CatalogueEntry>> {
  const { catalogue_entry: entries } = deps.database.prisma;
  const where: Prisma.catalogue_entryWhereInput = {
    org_id: caller.orgId,
    ...(scope !== undefined && { scope }),
    ...(section !== undefined && { section }),
    ...(enabled !== undefined && { enabled }),
    ...(search !== undefined && { name: containing(search) }),
    ...(provider !== undefined && {
      OR: [
        { section: "provider", name: provider },
        { section: "endpoint", name: { startsWith: `${provider}:` } },
        { section: "endpoint", name: { startsWith: `${provider}/` } },
      ],
    }),
  };
  return readPage(paging, {
    rows: (window) => entries.findMany({ where, select: columns, orderBy: [...newestFirst], ...window }),
    count: () => entries.count({ where }),
    toWire: (rows) => rows.map((row) => shown(deps, caller, row)),
  });
}

export async function getEntry(
  deps: Pick<EntryDeps, "database" | "catalogues">,
  caller: Reader,
  id: string,
): Promise<CatalogueEntry> {
  return shown(deps, caller, await findEntry(deps.database.prisma, caller, id));
}

/** An organisation cannot give a provider of the installation another address. */
function assertSlugFree({ catalogues }: EntryDeps, orgId: string | null, slug: string, place: string): void {
  if (orgId !== null && catalogues.below(orgId).catalogue.providers.has(slug))
    throw wrong(place, `${slug} is a provider of the installation; choose another slug`);
}

/** Throws CONFLICT for names that the layer has, and BAD_REQUEST for an own provider with the name of a shared one. */
function assertNew(
  deps: EntryDeps,
  orgId: string | null,
  rows: readonly Row[],
  entries: readonly Given[],
): void {
  const known = new Set(rows.map(({ section, name }) => `${section} ${name}`));
  for (const { section, name, body, place } of entries) {
    if (known.has(`${section} ${name}`))
      throw new AppError("CONFLICT", `${place}: there is an entry of the ${section} ${name} already`, {
        param: place,
      });
    known.add(`${section} ${name}`);
    if (bringsAddress({ section, body })) assertSlugFree(deps, orgId, name, `${place}.slug`);
  }
}

/** Adds entries, all or none. Throws BAD_REQUEST with the place of the first problem, CONFLICT and FORBIDDEN. */
export async function createEntries(
  deps: EntryDeps,
  caller: Writer,
  { scope, source, as_of, providers, models, endpoints }: CatalogueEntriesCreate,
): Promise<CatalogueEntry[]> {
  const { database, outboundFor } = deps;
  await assertMayWrite(database, caller, scope);
  const entries = [
    ...providers.map((body, at) => given("provider", body, `providers.${at}`)),
    ...models.map((body, at) => given("model", body, `models.${at}`)),
    ...endpoints.map((body, at) => given("endpoint", body, `endpoints.${at}`)),
  ];
  const orgId = servedBy(scope, caller);
  await assertReachable(outboundFor(orgId), entries);
  const rows = await changeConfiguration(database, caller, "catalogue_entry.create", async (tx) => {
    const before = await lockedLayer(tx, caller, scope);
    const max = limits.catalogue.entriesMax;
    if (before.length + entries.length > max)
      throw new AppError("CONFLICT", `An organisation may have ${max} entries of a catalogue at most`);
    assertNew(deps, orgId, before, entries);
    for (const entry of entries) await assertCredentialStays(tx, deps, orgId, entry);
    const data = entries.map(({ section, name, body }) => ({
      ...{ id: uuidv7(), org_id: caller.orgId, scope, section, name, body, source, as_of },
    }));
    await tx.catalogue_entry.createMany({ data });
    const after = await readLayer(tx, caller.orgId, scope);
    assertRoom(scope, before, after);
    const places = new Map(data.map(({ id }, at) => [id, entries[at]?.place ?? ""]));
    assertUsable(deps, orgId, after, places);
    const made = data.flatMap(({ id }) => after.find((row) => row.id === id) ?? []);
    return { result: made, audit: { id: made[0]?.id ?? "", after: { entries: made.map(recorded) } } };
  });
  return rows.map((row) => toWire(row, deps.catalogues.below(orgId), new Map()));
}

/** Changes the fields that were sent. Throws BAD_REQUEST if the entry could not be used, and FORBIDDEN. */
export async function updateEntry(
  deps: EntryDeps,
  caller: Writer,
  { id, entry, enabled, source, as_of }: CatalogueEntryUpdate,
): Promise<CatalogueEntry> {
  const { database, outboundFor } = deps;
  const row = await findEntry(database.prisma, caller, id);
  const stored = recorded(row);
  if (stored.scope !== row.scope || stored.section !== row.section)
    throw new AppError("CONFLICT", `The entry cannot be read; delete it: ${storedEntry(row).problem}`);
  await assertMayWrite(database, caller, stored.scope);
  const change = entry && given(stored.section, entry, "entry");
  if (change && change.name !== stored.name)
    throw wrong("entry", `must be about ${stored.name}; delete this entry and add another one to rename it`);
  const orgId = servedBy(stored.scope, caller);
  if (change && bringsAddress(change) && !("base_url" in stored.entry))
    assertSlugFree(deps, orgId, stored.name, "entry.slug");
  if (change) await assertReachable(outboundFor(orgId), [change]);
  const changed = await changeConfiguration(database, caller, "catalogue_entry.update", async (tx) => {
    const layer = await lockedLayer(tx, caller, stored.scope);
    const before = await findEntry(tx, caller, id);
    if (change) await assertCredentialStays(tx, deps, orgId, { ...change, before: recorded(before).entry });
    const after = await tx.catalogue_entry.update({
      where: { id, org_id: caller.orgId },
      data: {
        ...(change && { body: change.body }),
        ...(enabled !== undefined && { enabled }),
        ...(source !== undefined && { source }),
        ...(as_of !== undefined && { as_of }),
      },
      select: columns,
    });
    const rows = await readLayer(tx, caller.orgId, stored.scope);
    assertRoom(stored.scope, layer, rows);
    if (after.enabled) assertUsable(deps, orgId, rows, new Map([[id, "entry"]]));
    return { result: after, audit: { id, before: recorded(before), after: recorded(after) } };
  });
  return toWire(changed, deps.catalogues.below(orgId), new Map());
}

/** Deletes an entry, and with a provider its endpoints. What it replaced applies again. Throws FORBIDDEN. */
export async function deleteEntry(deps: EntryDeps, caller: Writer, id: string): Promise<void> {
  const { database } = deps;
  const { scope } = await findEntry(database.prisma, caller, id);
  await assertMayWrite(database, caller, scope);
  await changeConfiguration(database, caller, "catalogue_entry.delete", async (tx) => {
    const layer = await lockedLayer(tx, caller, scope);
    const before = await findEntry(tx, caller, id);
    const addsProvider = before.section === "provider" && shown(deps, caller, before).overrides === null;
    const endpoints = addsProvider
      ? layer.filter(({ section, body }) => section === "endpoint" && providerIn(body) === before.name)
      : [];
    const ids = [id, ...endpoints.map((one) => one.id)];
    await tx.catalogue_entry.deleteMany({ where: { id: { in: ids }, org_id: caller.orgId } });
    return {
      result: undefined,
      audit: { id, before: { ...recorded(before), endpoints: endpoints.map(recorded) } },
    };
  });
}

const providerIn = (body: Prisma.JsonValue): unknown =>
  typeof body === "object" && body !== null && !Array.isArray(body) ? body.provider : undefined;
