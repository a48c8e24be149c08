import type {
  Destination,
  DestinationCreate,
  DestinationListQuery,
  DestinationUpdate,
} from "#contract/destination.ts";
import type { FilterRules } from "#contract/destination-filter.ts";
import type { Prisma } from "#generated/prisma/client.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import { changeConfiguration } from "#server/audit/change.ts";
import { lockAuditChain } from "#server/audit/record.ts";
import { jsonNull, newestFirst, type Page, readPage } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { nameKey } from "#server/platform/name-key.ts";
import { assertSecretsForNewAddress, type ConfigValues, readConfig, splitConfig } from "./config.ts";
import { type DestinationDeps, wakeDeliveryWorkers } from "./deps.ts";
import { assertRoom, findDestination, keysOf, placeOf } from "./destination-access.ts";
import {
  configOf,
  type DestinationRow,
  destinationColumns,
  secretsPlace,
  toWire,
} from "./destination-rows.ts";
import { checkPatterns } from "./filter/patterns.ts";
import type { DestinationKind } from "./kind.ts";
import { kindOf } from "./registry.ts";

/** As stored in the audit log: the API form with masked secrets, without the delivery state. */
function snapshot({ sealer }: DestinationDeps, row: DestinationRow) {
  const { health: _, ...shown } = toWire(sealer, row);
  return shown;
}

/** Refuses at once what every delivery would be refused for. */
async function assertReachable({ outbound }: DestinationDeps, kind: DestinationKind, config: ConfigValues) {
  const { url, field } = kind.address(config);
  const refusal = await outbound.refusal(new URL(url));
  if (refusal === null) return;
  const param = field === null ? "config" : `config.${field}`;
  throw new AppError("BAD_REQUEST", `${param}: ${refusal}`, { param });
}

const json = (value: unknown): Prisma.InputJsonObject => value as Prisma.InputJsonObject;
const rulesColumn = (rules: FilterRules | null | undefined) => (rules ? json(rules) : jsonNull);

function stored(
  { sealer }: DestinationDeps,
  kind: DestinationKind,
  config: ConfigValues,
  row: { id: string; org_id: string },
) {
  const { plain, secrets } = splitConfig(kind, config);
  return { config: json(plain), secrets: sealer.seal(JSON.stringify(secrets), secretsPlace(row)) };
}

export async function listDestinations(
  { database, sealer }: DestinationDeps,
  caller: Authorized<"broadcast:read">,
  query: DestinationListQuery,
): Promise<Page<Destination>> {
  const { workspace_id: workspaceId } = query;
  const where: Prisma.destinationWhereInput = {
    AND: [
      ownRows(caller),
      workspaceId === undefined ? {} : { OR: [{ workspace_id: workspaceId }, { workspace_id: null }] },
    ],
  };
  const { destination: destinations } = database.prisma;
  return readPage(query, {
    rows: (window) =>
      destinations.findMany({ where, select: destinationColumns, orderBy: newestFirst, ...window }),
    count: () => destinations.count({ where }),
    toWire: (rows) => rows.map((row) => toWire(sealer, row)),
  });
}

export async function getDestination(
  { database, sealer }: DestinationDeps,
  caller: Authorized<"broadcast:read">,
  id: string,
): Promise<Destination> {
  return toWire(sealer, await findDestination(database.prisma, caller, id));
}

export async function createDestination(
  deps: DestinationDeps,
  caller: Authorized<"broadcast:write">,
  input: DestinationCreate,
): Promise<Destination> {
  const kind = kindOf(input.type);
  const config = readConfig(kind, input.config);
  checkPatterns(input.filter_rules);
  await assertReachable(deps, kind, config);
  return changeConfiguration(deps.database, caller, "destination.create", async (tx) => {
    const place = await placeOf(tx, caller, input);
    const row = { id: uuidv7(), org_id: caller.orgId };
    const created = await tx.destination.create({
      data: {
        ...row,
        ...place,
        ...stored(deps, kind, config, row),
        name: input.name,
        name_key: nameKey(input.name),
        type: kind.type,
        privacy_mode: input.privacy_mode,
        sampling_rate: input.sampling_rate,
        enabled: input.enabled,
        api_key_filter: await keysOf(tx, caller, input.api_key_filter),
        filter_rules: rulesColumn(input.filter_rules),
        residency: input.residency ?? null,
      },
      select: destinationColumns,
    });
    // Creations are serialized, so that two of them cannot both pass the limit.
    await lockAuditChain(tx, caller.orgId);
    await assertRoom(tx, caller, kind.type);
    return {
      result: toWire(deps.sealer, created),
      audit: { id: created.id, after: snapshot(deps, created) },
    };
  });
}

/** Every change restarts deliveries, because it may have repaired them. */
const healthy = {
  failures: 0,
  failing_since: null,
  paused_until: null,
  stopped_reason: null,
  last_error: null,
};

export async function updateDestination(
  deps: DestinationDeps,
  caller: Authorized<"broadcast:write">,
  input: DestinationUpdate,
): Promise<Destination> {
  const { id, config: given, workspace_id, api_key_filter, filter_rules, name, ...rest } = input;
  const row = await findDestination(deps.database.prisma, caller, id);
  if (Object.keys(input).length === 1) return toWire(deps.sealer, row);
  const kind = kindOf(row.type);
  checkPatterns(filter_rules);
  // Names are resolved before the transaction.
  if (given !== undefined)
    await assertReachable(deps, kind, readConfig(kind, given, configOf(deps.sealer, row)));
  const destination = await changeConfiguration(deps.database, caller, "destination.update", async (tx) => {
    const before = await findDestination(tx, caller, id);
    const old = configOf(deps.sealer, before);
    const config = given === undefined ? old : readConfig(kind, given, old);
    if (given !== undefined) assertSecretsForNewAddress(kind, old, config, given);
    const after = await tx.destination.update({
      where: { id, org_id: caller.orgId },
      data: {
        ...rest,
        ...healthy,
        ...(name !== undefined && { name, name_key: nameKey(name) }),
        ...(given !== undefined && stored(deps, kind, config, before)),
        ...(workspace_id !== undefined && (await placeOf(tx, caller, { workspace_id }))),
        ...(api_key_filter !== undefined && { api_key_filter: await keysOf(tx, caller, api_key_filter) }),
        ...(filter_rules !== undefined && { filter_rules: rulesColumn(filter_rules) }),
      },
      select: destinationColumns,
    });
    return {
      result: toWire(deps.sealer, after),
      audit: { id, before: snapshot(deps, before), after: snapshot(deps, after) },
    };
  });
  await wakeDeliveryWorkers(deps, [id]);
  return destination;
}

export async function removeDestination(
  deps: DestinationDeps,
  caller: Authorized<"broadcast:write">,
  id: string,
): Promise<void> {
  await changeConfiguration(deps.database, caller, "destination.delete", async (tx) => {
    const before = await findDestination(tx, caller, id);
    await tx.destination.delete({ where: { id, org_id: caller.orgId } });
    return { result: undefined, audit: { id, before: snapshot(deps, before) } };
  });
}
