import { Prisma } from "#generated/prisma/client.ts";
import { dateAt } from "#server/platform/clock.ts";
import type { FactDeps, FactQuery } from "../kind.ts";

const minuteMs = 60_000;

/** Organisations with their generations since a time, by the index of each. To be limited with `ofScope`. */
export const recentGenerations = ({
  nowMs,
  settings,
}: FactQuery<{ readonly window_minutes: number }>): Prisma.Sql => Prisma.sql`
  organisation cross join lateral (
    select * from generation where org_id = organisation.id
      and started_at >= ${dateAt(nowMs - settings.window_minutes * minuteMs)} offset 0
  ) as recent`;

interface Scope {
  readonly orgId: string | null;
}

/** The organisations whose generations count. */
export const ofScope = ({ orgId }: Scope): Prisma.Sql =>
  Prisma.sql`(${orgId}::uuid is null or organisation.id = ${orgId}::uuid)`;

/** The endpoints that count: in the scope of the installation its own only, which no organisation can add to. */
export const countedEndpoint = (
  { catalogue }: Pick<FactDeps, "catalogue">,
  { orgId }: Scope,
  endpoint: Prisma.Sql,
): Prisma.Sql =>
  orgId === null ? Prisma.sql`${endpoint} = any(${[...catalogue(null).endpoints.keys()]})` : Prisma.sql`true`;

/** The same for requests. Those that no endpoint was tried for count by their model. */
export const countedRequest = (deps: Pick<FactDeps, "catalogue">, { orgId }: Scope): Prisma.Sql => {
  if (orgId !== null) return Prisma.sql`true`;
  const last = Prisma.sql`coalesce(recent.endpoint, recent.attempts -> -1 ->> 'endpoint')`;
  const models = [...deps.catalogue(null).endpointsByModel.keys()];
  return Prisma.sql`case when ${last} is null then recent.model is null or recent.model = any(${models})
    else ${countedEndpoint(deps, { orgId }, last)} end`;
};

type Grouping = "all" | "model" | "provider";

const groups: Record<Grouping, Prisma.Sql> = {
  all: Prisma.sql`'all'`,
  model: Prisma.sql`'model:' || coalesce(recent.model, recent.model_requested)`,
  provider: Prisma.sql`'provider:' || coalesce(recent.provider, 'none')`,
};

/** The subject of a request in SQL: `all`, `model:x` or `provider:x`. */
export const subjectOf = (grouping: Grouping): Prisma.Sql => groups[grouping];

/** Whether a subject is one that `subjectOf` makes for a grouping. */
export const isGroupedBy =
  (grouping: Grouping) =>
  (subject: string): boolean =>
    grouping === "all" ? subject === "all" : subject.startsWith(`${grouping}:`);

/** What a subject is called: ` of mistral/small`, or nothing for all requests. */
export const namedSubject = (subject: string): string =>
  subject === "all" ? "" : ` of ${subject.slice(subject.indexOf(":") + 1)}`;

/** `in the last 15 minutes` */
export const lastMinutes = (minutes: number): string =>
  minutes === 1 ? "in the last minute" : `in the last ${minutes} minutes`;
