import { Prisma } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";
import { isoTime } from "#server/platform/clock.ts";

/** Conditions on recorded requests; those that are absent do not apply. */
export interface RequestFilter {
  readonly workspaceId?: string | null;
  readonly keyIds?: readonly string[];
  readonly userId?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly endpoints?: readonly string[];
  readonly credentialId?: string;
  readonly endUser?: string;
  /** Values of tags, by name. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Whatever its version. */
  readonly preset?: string;
  /** Requests for other models than these. */
  readonly notModels?: readonly string[];
}

export interface Sums {
  readonly requests: number;
  readonly costPicoEur: bigint;
  readonly lastAt: Date | null;
}

/** What is added up per period, separately for each value of `by`. */
export interface Counted {
  readonly measure: "eur" | "usd" | "tokens" | "requests";
  /** Null for one period that never ends. */
  readonly unit: "minute" | "hour" | "day" | "week" | "month" | null;
  readonly by: readonly CountedColumn[];
  readonly limit: bigint;
}

export interface Excess {
  /** Requests that came after the limit of their period was used up. */
  readonly requests: number;
  /** The highest sum of a period. */
  readonly highest: bigint;
}

type PlainColumn = "workspace_id" | "api_key_id" | "user_id" | "model" | "user_reference";
/** A column, or the values of a tag. */
export type CountedColumn = PlainColumn | { readonly tag: string };

const amounts: Record<Counted["measure"], Prisma.Sql> = {
  eur: Prisma.sql`cost_pico_eur`,
  usd: Prisma.sql`cost_pico_usd`,
  tokens: Prisma.sql`(prompt_tokens + completion_tokens)`,
  requests: Prisma.sql`1`,
};
const columns: Record<PlainColumn, Prisma.Sql> = {
  workspace_id: Prisma.sql`workspace_id::text`,
  api_key_id: Prisma.sql`api_key_id::text`,
  user_id: Prisma.sql`user_id::text`,
  model: Prisma.sql`model`,
  user_reference: Prisma.sql`user_reference`,
};

const columnOf = (column: CountedColumn): Prisma.Sql =>
  typeof column === "string" ? columns[column] : Prisma.sql`tags->>${column.tag}`;

const uuids = (ids: readonly string[]) => Prisma.sql`${[...ids]}::uuid[]`;

/** The recorded requests of one organisation since a time, as sums. */
export class Traffic {
  readonly sinceMs: number;
  readonly #prisma: Database["prisma"];
  readonly #orgId: string;

  constructor({ prisma }: Database, orgId: string, sinceMs: number) {
    this.#prisma = prisma;
    this.#orgId = orgId;
    this.sinceMs = sinceMs;
  }

  #where(filter: RequestFilter): Prisma.Sql {
    const { workspaceId, keyIds, userId, model, endUser, tags = {}, preset, notModels } = filter;
    const { provider, endpoints, credentialId } = filter;
    const conditions = [
      Prisma.sql`org_id = ${this.#orgId}::uuid`,
      Prisma.sql`started_at >= ${isoTime(this.sinceMs)}::timestamptz`,
      ...(workspaceId ? [Prisma.sql`workspace_id = ${workspaceId}::uuid`] : []),
      ...(keyIds ? [Prisma.sql`api_key_id = any(${uuids(keyIds)})`] : []),
      ...(userId === undefined ? [] : [Prisma.sql`user_id = ${userId}::uuid`]),
      ...(model === undefined ? [] : [Prisma.sql`model = ${model}`]),
      ...(provider === undefined ? [] : [Prisma.sql`provider = ${provider}`]),
      ...(endpoints ? [Prisma.sql`endpoint = any(${[...endpoints]}::text[])`] : []),
      ...(credentialId === undefined ? [] : [Prisma.sql`credential_id = ${credentialId}::uuid`]),
      ...(preset === undefined ? [] : [Prisma.sql`split_part(parameters->>'preset', '@', 1) = ${preset}`]),
      ...(endUser === undefined ? [] : [Prisma.sql`user_reference = ${endUser}`]),
      ...Object.entries(tags).map(([name, value]) => Prisma.sql`tags->>${name} = ${value}`),
      ...(notModels
        ? [Prisma.sql`not coalesce(model, model_requested) = any(${[...notModels]}::text[])`]
        : []),
    ];
    return Prisma.join(conditions, " and ");
  }

  /** Requests without a value of `by` are not counted. */
  #counted(filter: RequestFilter, by: readonly CountedColumn[]): Prisma.Sql {
    const have = by.map((column) => Prisma.sql`${columnOf(column)} is not null`);
    return Prisma.join([this.#where(filter), ...have], " and ");
  }

  async sums(filter: RequestFilter = {}): Promise<Sums> {
    const rows = await this.#prisma.$queryRaw<{ requests: number; cost: string; last_at: Date | null }[]>(
      Prisma.sql`select count(*)::int as requests, coalesce(sum(cost_pico_eur), 0)::text as cost,
        max(started_at) as last_at from generation where ${this.#where(filter)}`,
    );
    const [row] = rows;
    return {
      requests: row?.requests ?? 0,
      costPicoEur: BigInt(row?.cost ?? "0"),
      lastAt: row?.last_at ?? null,
    };
  }

  /** How many requests were counted by a tag. */
  async tagged(tag: string): Promise<number> {
    const rows = await this.#prisma.$queryRaw<{ requests: number }[]>(
      Prisma.sql`select coalesce(sum(requests), 0)::int as requests from usage_tag_day
        where org_id = ${this.#orgId}::uuid and tag = ${tag} and day >= ${isoTime(this.sinceMs)}::date`,
    );
    return rows[0]?.requests ?? 0;
  }

  /** The models of requests, the most frequent first. */
  async models(filter: RequestFilter): Promise<string[]> {
    const rows = await this.#prisma.$queryRaw<{ model: string }[]>(
      Prisma.sql`select coalesce(model, model_requested) as model from generation where ${this.#where(filter)}
        group by 1 order by count(*) desc, 1 limit 5`,
    );
    return rows.map(({ model }) => model);
  }

  /** How far requests would have exceeded a limit per period. */
  async excess(filter: RequestFilter, { measure, unit, by, limit }: Counted): Promise<Excess> {
    const start =
      unit === null ? Prisma.sql`0` : Prisma.sql`date_trunc(${unit}, started_at at time zone 'UTC')`;
    const group = Prisma.join([start, ...by.map(columnOf)], ", ");
    const rows = await this.#prisma.$queryRaw<{ requests: number; highest: string | null }[]>(
      Prisma.sql`select (count(*) filter (where used > ${limit.toString()}::numeric))::int as requests,
        max(used)::text as highest
      from (select sum(${amounts[measure]}) over (partition by ${group} order by started_at, id) as used
        from generation where ${this.#counted(filter, by)}) as counted`,
    );
    return { requests: rows[0]?.requests ?? 0, highest: BigInt(rows[0]?.highest ?? "0") };
  }

  /** How many requests would have begun while as many as allowed were running. */
  async overlap(filter: RequestFilter, by: readonly CountedColumn[], limit: bigint): Promise<Excess> {
    const group = Prisma.join([Prisma.sql`1`, ...by.map(columnOf)], ", ");
    const rows = await this.#prisma.$queryRaw<{ requests: number; highest: string | null }[]>(
      Prisma.sql`select (count(*) filter (where step = 1 and running > ${limit.toString()}::numeric))::int as requests,
        max(running)::text as highest
      from (select step, sum(step) over (partition by ${group} order by moment, step
          rows between unbounded preceding and current row) as running
        from generation cross join lateral (values (1, started_at),
          (-1, started_at + duration_ms * interval '1 millisecond')) as events (step, moment)
        where ${this.#counted(filter, by)}) as counted`,
    );
    return { requests: rows[0]?.requests ?? 0, highest: BigInt(rows[0]?.highest ?? "0") };
  }
}
