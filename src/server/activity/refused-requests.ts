import { refusalLabels } from "#contract/refusal-message.ts";
import type { Caller } from "#server/access/caller.ts";
import { type Database, isDataRefusal } from "#server/db/index.ts";
import { clock, isoDay, isoTime } from "#server/platform/clock.ts";
import type { AppError } from "#server/platform/errors.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import type { Log } from "#server/platform/log.ts";
import { storableJson } from "#server/platform/storable.ts";
import {
  addLimitRefusals,
  type LimitRefusal,
  limitKeyOf,
  limitRefusalOf,
  purgeLimitRefusals,
} from "./limit-refusals.ts";

/** What is known of a request at its refusal. */
export interface Refused {
  readonly requestId: string;
  readonly operation: string;
  /** Null if the request was not read. */
  readonly model: string | null;
  readonly error: AppError;
}

/** A row of `refused_request` before it is written. */
interface Group {
  readonly id: string;
  readonly org_id: string;
  readonly day: string;
  readonly api_key_id: string;
  readonly workspace_id: string | null;
  readonly operation: string;
  readonly model: string;
  readonly error_code: string;
  readonly param: string;
  http_status: number;
  message: string;
  metadata: Record<string, unknown>;
  request_ids: string[];
  count: number;
  readonly first_at: string;
  last_at: string;
}

const { requestIdsMax, storedPerOrganisationMax, groupsPerOrganisationMax, limitsMax } = limits.refusals;

const keyOf = (one: Group): string =>
  [one.org_id, one.day, one.api_key_id, one.operation, one.error_code, one.param, one.model].join(" ");

type Excluded = Parameters<typeof refusalLabels>[0];

/** Plans come from the router of this process, so checking their shape is enough. */
const areExcluded = (value: unknown): value is Excluded =>
  Array.isArray(value) && value.every((one) => Array.isArray(one?.refusals));

/**
 * What a refusal is about: a field, or the reasons that excluded every provider. It keeps different refusals apart.
 */
function aboutOf({ param, metadata }: AppError): string {
  if (param !== null) return param;
  return areExcluded(metadata.excluded) ? refusalLabels(metadata.excluded) : "";
}

/** The error message, shortened if it is very long. */
function metadataOf({ metadata }: AppError): Record<string, unknown> {
  const { excluded } = metadata;
  const reported = Array.isArray(excluded)
    ? { ...metadata, excluded: excluded.slice(0, limits.refusals.exclusionsMax) }
    : metadata;
  return JSON.stringify(reported).length <= limits.refusals.metadataCharsMax ? reported : {};
}

/** Adds a later group of the same kind to an earlier one. */
function merge(into: Group, later: Group): void {
  const { http_status, message, metadata, last_at } = later;
  Object.assign(into, { http_status, message, metadata, last_at });
  into.count += later.count;
  into.request_ids = [...into.request_ids, ...later.request_ids].slice(-requestIdsMax);
}

/** Written in a fixed order, so that two processes cannot deadlock. */
const addGroups = `
  insert into refused_request as known
  select * from json_populate_recordset(null::refused_request, $1::json)
  order by org_id, day, api_key_id, operation, model, error_code, param
  on conflict (org_id, day, api_key_id, operation, model, error_code, param) do update set
    http_status = excluded.http_status, message = excluded.message, metadata = excluded.metadata,
    count = known.count + excluded.count, last_at = greatest(known.last_at, excluded.last_at),
    request_ids = (known.request_ids || excluded.request_ids)
      [greatest(1, cardinality(known.request_ids) + cardinality(excluded.request_ids) - ${requestIdsMax - 1}):]`;

const evictOldest = `
  delete from refused_request using (
    select id, row_number() over (partition by org_id order by last_at desc, id) as place
    from refused_request where org_id = any($1::uuid[])
  ) as ranked where ranked.id = refused_request.id and place > ${storedPerOrganisationMax}`;

/**
 * Records requests that were refused before they reached a provider, so that the log shows why. Written in the
 * background, and few rows: similar refusals are counted in one.
 */
export class RefusedRequests {
  readonly #database: Database;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #groups = new Map<string, Group>();
  #limits = new Map<string, LimitRefusal>();
  /** Pending groups of each organisation. */
  #waiting = new Map<string, number>();
  #flushing: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), limits.refusals.flushEveryMs);
    this.#timer.unref();
  }

  note(caller: Caller, { requestId, operation, model, error }: Refused): void {
    if (caller.kind !== "key") return;
    const nowMs = clock.nowMs();
    const refusal = limitRefusalOf(caller, error, nowMs);
    if (refusal) this.#count(refusal);
    this.#add({
      id: uuidv7(),
      org_id: caller.orgId,
      day: isoDay(nowMs),
      api_key_id: caller.keyId,
      workspace_id: caller.workspaceId,
      operation,
      model: model?.slice(0, 200) ?? "",
      error_code: error.code,
      param: aboutOf(error).slice(0, 100),
      http_status: error.status,
      message: error.message.slice(0, 1000),
      metadata: metadataOf(error),
      request_ids: [requestId],
      count: 1,
      first_at: isoTime(nowMs),
      last_at: isoTime(nowMs),
    });
  }

  #count(refusal: LimitRefusal): void {
    const known = this.#limits.get(limitKeyOf(refusal));
    if (known) known.count += refusal.count;
    else if (this.#limits.size < limitsMax) this.#limits.set(limitKeyOf(refusal), refusal);
  }

  #add(group: Group): void {
    const { org_id: orgId } = group;
    const waiting = this.#waiting.get(orgId) ?? 0;
    const one =
      waiting < groupsPerOrganisationMax || this.#groups.has(keyOf(group))
        ? group
        : { ...group, model: "", param: "" };
    const known = this.#groups.get(keyOf(one));
    if (known) {
      merge(known, one);
      return;
    }
    // Keys, operations and errors are few. An organisation with very many combinations loses some refusals.
    if (waiting >= 2 * groupsPerOrganisationMax) return;
    this.#groups.set(keyOf(one), one);
    this.#waiting.set(orgId, waiting + 1);
  }

  /** Writes the pending groups; those that cannot be written remain pending. Never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async #write(): Promise<void> {
    const [groups, counts] = [[...this.#groups.values()], [...this.#limits.values()]];
    if (groups.length === 0) return;
    this.#groups = new Map();
    this.#limits = new Map();
    this.#waiting = new Map();
    try {
      await this.#database.batch(async (client) => {
        await client.query(addGroups, [storableJson(groups)]);
        if (counts.length > 0) await client.query(addLimitRefusals, [storableJson(counts)]);
        await client.query(evictOldest, [[...new Set(groups.map(({ org_id }) => org_id))]]);
      });
      this.#failing = false;
    } catch (error) {
      // Rows that the database refuses would block all later ones.
      if (isDataRefusal(error)) {
        this.#log.error(
          { event: "refusals", count: groups.length, error },
          "Refused requests cannot be stored",
        );
        return;
      }
      if (!this.#failing)
        this.#log.warn(
          { event: "refusals", error },
          "Refused requests are kept until the database can store them",
        );
      this.#failing = true;
      const later = [...this.#groups.values()];
      this.#groups = new Map();
      this.#waiting = new Map();
      for (const group of [...groups, ...later]) this.#add(group);
      for (const refusal of counts) this.#count(refusal);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

/** Deletes refusals after their retention time. */
export async function purgeRefusedRequests(database: Database): Promise<void> {
  const seconds = limits.refusals.retentionMs / 1000;
  await database.prisma.$executeRaw`
    delete from refused_request where last_at < now() - make_interval(secs => ${seconds})`;
  await purgeLimitRefusals(database);
}
