import type { AlertSettings } from "#contract/alert-kind.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { dayMs, isoDay } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type Evaluator, type FactDeps, type FactQuery, finderOf } from "../kind.ts";
import { usedEndpoints } from "./used-endpoints.ts";

/** A deprecated endpoint that was used. */
export interface DeprecatedUse {
  readonly endpoint: Pick<Endpoint, "id"> & { readonly model: Pick<Endpoint["model"], "retirement"> };
  /** The API keys that used it, by name, as many as are named. */
  readonly keys: readonly string[];
  readonly keyCount: number;
}

const isDeprecated = ({ status, model }: Endpoint): boolean =>
  status === "deprecated" || model.retirement !== null;

interface KeyRow {
  readonly provider: string;
  readonly model: string;
  readonly name: string;
  readonly count: bigint;
}

/** The first keys of an organisation, by name, that used these endpoints, and how many there are. */
const keysOf = (
  { database }: FactDeps,
  { orgId, nowMs }: { readonly orgId: string; readonly nowMs: number },
  endpoints: readonly Endpoint[],
): Promise<KeyRow[]> =>
  database.prisma.$queryRaw<KeyRow[]>`
    select provider, model, name, count from (
      select provider, model, api_key.name, count(*) over by_endpoint,
        row_number() over (by_endpoint order by api_key.name, api_key.id) as place
      from (select distinct provider, model, api_key_id from usage_day
            where day >= ${isoDay(nowMs - limits.alerts.usedWithinDays * dayMs)}::date
              and model = any(${endpoints.map(({ model }) => model.id)})
              and org_id = ${orgId}::uuid) as used
        join api_key on api_key.id = used.api_key_id
      window by_endpoint as (partition by provider, model)) as ranked
    where place <= ${limits.alerts.keysNamedMax}
    order by provider, model, place`;

async function read(deps: FactDeps, query: FactQuery<unknown>): Promise<DeprecatedUse[]> {
  const endpoints = (await usedEndpoints(deps, query)).filter(isDeprecated);
  if (endpoints.length === 0) return [];
  const { orgId, nowMs } = query;
  // The operator's alerts must not tell the names that organisations gave to their keys.
  const rows = orgId === null ? [] : await keysOf(deps, { orgId, nowMs }, endpoints);
  return endpoints.map((endpoint) => {
    const own = rows.filter(
      (row) => row.provider === endpoint.provider.slug && row.model === endpoint.model.id,
    );
    return { endpoint, keys: own.map(({ name }) => name), keyCount: Number(own[0]?.count ?? 0) };
  });
}

/** `ci, web and 3 more`. */
function listed(keys: readonly string[], count: number): string {
  const more = count - keys.length;
  return more > 0 ? `${keys.join(", ")} and ${more} more` : keys.join(", ");
}

function detailOf({ endpoint: { model }, keys, keyCount }: DeprecatedUse): string {
  const { deprecatedOn = null, expiresOn = null, successor = null } = model.retirement ?? {};
  return [
    deprecatedOn && `The model is deprecated from ${deprecatedOn} on.`,
    expiresOn && `It may be removed on ${expiresOn}.`,
    `It was used in the last ${limits.alerts.usedWithinDays} days${keys.length > 0 ? ` with the API keys: ${listed(keys, keyCount)}` : ""}.`,
    successor ? `Its successor is ${successor}.` : "Choose another model before the provider removes it.",
  ]
    .filter(Boolean)
    .join(" ");
}

export const deprecatedModel: Evaluator<AlertSettings<"deprecated_model">, readonly DeprecatedUse[]> = {
  read,
  evaluate: (_, uses) =>
    uses.map((use) => ({
      subject: use.endpoint.id,
      title: `Endpoint ${use.endpoint.id} is deprecated`,
      detail: detailOf(use),
    })),
};

export const findDeprecatedModels = finderOf("deprecated_model", deprecatedModel);
