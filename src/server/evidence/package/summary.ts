import type { DataFlowFilter, TransferArea } from "#contract/data-flows.ts";
import type { EndpointFacts } from "#contract/endpoint-facts.ts";
import type { StoredDocument } from "#server/db/index.ts";
import type { FactsByEndpoint, KnownFacts } from "../stored-facts.ts";
import type { StoredDecision } from "./decisions.ts";
import type { PackagedRequest } from "./packaged-requests.ts";
import type { RuleHistory } from "./rule-history.ts";

/** What a summary is made from. */
export interface Collected {
  readonly orgId: string;
  readonly filter: DataFlowFilter;
  readonly requests: readonly PackagedRequest[];
  readonly decisions: ReadonlyMap<string, StoredDecision>;
  /** What the decisions were made from, by hash. */
  readonly inputs: ReadonlyMap<string, StoredDocument>;
  readonly facts: ReadonlyMap<string, FactsByEndpoint>;
  readonly rules: readonly RuleHistory[];
  /** Requests of the period whose providers are not recorded. */
  readonly unrecorded: number;
  /** From when on records exist, if that is later than the beginning of the period. */
  readonly recordsFrom: string | null;
}

interface Recipient {
  readonly provider: string;
  readonly endpoint: string;
  readonly area: TransferArea;
  readonly countries: readonly string[];
  readonly facts_hash: string | null;
  readonly requests: number;
  readonly answered: number;
  readonly first_at: string;
  readonly last_at: string;
  /** What is not known for certain about it, or is the organisation's own claim. */
  readonly doubts: readonly string[];
  /** Rules and preferences under which requests were sent to it. */
  readonly allowed_by: readonly Permission[];
}

interface Permission {
  readonly decision: string | null;
  readonly rules: readonly string[];
  readonly preferences: readonly Readonly<Record<string, unknown>>[];
  readonly requests: number;
}

const factNames = ["training", "retention_days"] as const;
const providerFacts = ["eu_owned", "storage_countries"] as const;

/** Facts that were unknown, expired on a day (UTC), unverified, or not those of the shipped catalogue. */
export function doubtsAbout(facts: EndpointFacts, day: string): string[] {
  const { provider, place, layer } = facts;
  const claims = [
    ...factNames.map((name) => [name, facts[name]] as const),
    ...providerFacts.map((name) => [name, provider[name]] as const),
  ];
  const known = place.countries.length > 0 || place.region_groups.length > 0;
  return [
    ...(known ? [] : ["place: unknown"]),
    ...(place.expires_at !== null && place.expires_at < day ? [`place: expired on ${place.expires_at}`] : []),
    ...claims.flatMap(([name, { value, expires_at }]) => {
      if (value === null) return [`${name}: unknown`];
      return expires_at !== null && expires_at < day ? [`${name}: expired on ${expires_at}`] : [];
    }),
    ...provider.unverified.map((name) => `${name}: not verified`),
    ...(layer === "shipped" ? [] : [`endpoint: described by the ${layer}`]),
    ...(provider.layer === "shipped" ? [] : [`provider: described by the ${provider.layer}`]),
  ];
}

interface Received {
  readonly request: PackagedRequest;
  readonly provider: string;
  readonly endpoint: string;
  readonly isAnswered: boolean;
  readonly known: KnownFacts | undefined;
}

/** Each endpoint that may have received a request, once. */
const receivedBy = ({ requests, facts }: Collected): Received[] =>
  requests.flatMap((request) => {
    const reached = request.recipients.filter((one) => one.reached);
    return [...Map.groupBy(reached, ({ endpoint }) => endpoint)].map(([endpoint, tries]) => ({
      request,
      provider: tries[0]?.provider ?? "",
      endpoint,
      isAnswered: tries.some(({ outcome }) => outcome === "ok"),
      known: facts.get(request.decision ?? "")?.get(endpoint),
    }));
  });

function permissionsOf(received: readonly Received[], decisions: Collected["decisions"]): Permission[] {
  const byDecision = Map.groupBy(received, ({ request }) => request.decision ?? "");
  return [...byDecision]
    .map(([hash, some]) => {
      const { rules = [], preferences = [] } = decisions.get(hash) ?? {};
      return { decision: hash || null, rules, preferences, requests: some.length };
    })
    .sort((a, b) => b.requests - a.requests || ((a.decision ?? "") < (b.decision ?? "") ? -1 : 1));
}

function recipientOf(received: readonly Received[], decisions: Collected["decisions"]): Recipient {
  const times = received.map(({ request }) => request.started_at).sort();
  const [first, lastAt = ""] = [received[0], times.at(-1)];
  const { provider = "", endpoint = "", known } = first ?? {};
  return {
    ...{ provider, endpoint, area: known?.area ?? "unknown", countries: known?.facts.place.countries ?? [] },
    facts_hash: known?.hash ?? null,
    requests: received.length,
    answered: received.filter(({ isAnswered }) => isAnswered).length,
    first_at: times[0] ?? "",
    last_at: lastAt,
    doubts: known ? doubtsAbout(known.facts, lastAt.slice(0, 10)) : ["everything: not recorded"],
    allowed_by: permissionsOf(received, decisions),
  };
}

interface SubProcessor {
  readonly slug: string;
  readonly name: string;
  readonly legal_entity: string | null;
  readonly headquarters: string | null;
  readonly dpa_url: string | null;
  readonly data_policy_url: string | null;
  readonly requests: number;
  readonly first_at: string;
  readonly last_at: string;
}

/** Providers that received requests, each with what was known of it last. */
const subProcessorsOf = (received: readonly Received[]): SubProcessor[] =>
  [...Map.groupBy(received, ({ provider }) => provider)]
    .map(([slug, some]) => {
      const times = some.map(({ request }) => request.started_at).sort();
      const facts = some.findLast(({ known }) => known)?.known?.facts.provider;
      return {
        slug,
        name: facts?.name ?? slug,
        legal_entity: facts?.legal_entity?.value ?? null,
        headquarters: facts?.headquarters ?? null,
        dpa_url: facts?.dpa_url ?? null,
        data_policy_url: facts?.data_policy_url ?? null,
        requests: new Set(some.map(({ request }) => request.id)).size,
        first_at: times[0] ?? "",
        last_at: times.at(-1) ?? "",
      };
    })
    .sort((a, b) => b.requests - a.requests || (a.slug < b.slug ? -1 : 1));

const idsBy = (received: readonly Received[], keysOf: (one: Received) => readonly string[]) => {
  const ids = new Map<string, Set<string>>();
  for (const one of received)
    for (const key of keysOf(one)) ids.set(key, (ids.get(key) ?? new Set()).add(one.request.id));
  return Object.fromEntries([...ids].map(([key, some]) => [key, some.size] as const).sort());
};

/** Destinations that traces of requests were handed to. A trace that filters had to search first may not have been sent. */
const destinationsOf = (requests: readonly PackagedRequest[]) => {
  const traces = requests.flatMap(({ destinations }) => destinations);
  return [...Map.groupBy(traces, ({ id, residency }) => `${id} ${residency}`)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, some]) => ({
      id: some[0]?.id ?? "",
      residency: some[0]?.residency ?? null,
      requests: some.length,
      with_content: some.filter(({ content }) => content === "sent").length,
    }));
};

/** The figures of a package. They depend on nothing but what was recorded. */
export function summarise(collected: Collected) {
  const { orgId, filter, requests, decisions, rules, unrecorded, recordsFrom } = collected;
  const received = receivedBy(collected);
  const byRecipient = Map.groupBy(received, ({ endpoint, known }) => `${endpoint} ${known?.hash}`);
  const applied = new Map<string, number>();
  for (const { decision } of requests)
    for (const rule of decisions.get(decision ?? "")?.rules ?? [])
      applied.set(rule, (applied.get(rule) ?? 0) + 1);
  return {
    format: 1,
    organisation_id: orgId,
    filter,
    requests: requests.length,
    records_from: recordsFrom,
    unrecorded,
    received_by_nobody: requests.filter(({ recipients }) => !recipients.some((one) => one.reached)).length,
    /** A request that was sent to two areas, or to an endpoint in two countries, counts in both. */
    requests_by_area: idsBy(received, ({ known }) => [known?.area ?? "unknown"]),
    requests_by_country: idsBy(received, ({ known }) => known?.facts.place.countries ?? []),
    requests_by_retention_days: idsBy(received, ({ known }) => [
      String(known?.facts.retention_days.value ?? "unknown"),
    ]),
    recipients: [...byRecipient.values()]
      .map((some) => recipientOf(some, decisions))
      .sort(
        (a, b) =>
          b.requests - a.requests ||
          (`${a.endpoint} ${a.facts_hash}` < `${b.endpoint} ${b.facts_hash}` ? -1 : 1),
      ),
    sub_processors: subProcessorsOf(received),
    destinations: destinationsOf(requests),
    rules: rules.map((rule) => ({ ...rule, applied_to_requests: applied.get(rule.id) ?? 0 })),
    not_in_log: requests.filter(({ logIndex }) => logIndex === null).length,
  };
}
export type Summary = ReturnType<typeof summarise>;
