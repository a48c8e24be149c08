import type { CatalogueEntry } from "#contract/catalogue-entry.ts";
import type { Answer } from "./draft.ts";

type Fields = CatalogueEntry["entry"];

/** The facts of a provider that routing rules ask for. What an entry does not state is null. */
export interface ProviderFacts {
  /** Whom the contract is with. */
  readonly legalEntity: string | null;
  /** Codes of the countries in which inference runs. */
  readonly countries: readonly string[] | null;
  readonly euOwned: Answer | null;
  readonly training: Answer | null;
  readonly retentionDays: number | "unknown" | null;
}

const answers: Record<Answer, boolean | null> = { yes: true, no: false, unknown: null };

/** A fact is stored as its value, or as an object with value, source and day. */
const statedIn = (stored: Fields[string] | undefined): Fields[string] | undefined =>
  typeof stored === "object" && stored !== null && !Array.isArray(stored) && "value" in stored
    ? stored.value
    : stored;

function answerIn(stored: Fields[string] | undefined): Answer | null {
  const value = statedIn(stored);
  if (value === undefined) return null;
  return typeof value === "boolean" ? (value ? "yes" : "no") : "unknown";
}

export function factsOf({
  legal_entity,
  datacenters,
  eu_owned,
  training,
  retention_days,
}: Fields): ProviderFacts {
  const days = statedIn(retention_days);
  const countries = statedIn(datacenters);
  const entity = statedIn(legal_entity);
  return {
    legalEntity: typeof entity === "string" ? entity : null,
    countries: Array.isArray(countries) ? countries.map(String) : null,
    euOwned: answerIn(eu_owned),
    training: answerIn(training),
    retentionDays: days === undefined ? null : typeof days === "number" ? days : "unknown",
  };
}

/** The fields with the changed facts; a fact that is null now is no longer stated. */
export function withFacts(fields: Fields, change: Partial<ProviderFacts>): Fields {
  const { legalEntity, countries, euOwned, training, retentionDays } = change;
  const days = retentionDays === "unknown" ? null : retentionDays;
  const changed: Record<string, Fields[string] | undefined> = {
    ...fields,
    ...(legalEntity !== undefined && { legal_entity: legalEntity }),
    ...(countries !== undefined && { datacenters: countries && [...countries], region: countries?.[0] }),
    ...(euOwned !== undefined && { eu_owned: euOwned && answers[euOwned] }),
    ...(training !== undefined && { training: training && answers[training] }),
    ...(retentionDays !== undefined && {
      retention_days: days,
      retains_prompts: days == null ? null : days > 0,
    }),
  };
  const removed = [
    ...(legalEntity === null ? ["legal_entity"] : []),
    ...(countries === null ? ["datacenters", "region"] : []),
    ...(euOwned === null ? ["eu_owned"] : []),
    ...(training === null ? ["training"] : []),
    ...(retentionDays === null ? ["retention_days", "retains_prompts"] : []),
  ];
  return Object.fromEntries(
    Object.entries(changed).filter(
      (pair): pair is [string, Fields[string]] => pair[1] !== undefined && !removed.includes(pair[0]),
    ),
  );
}
