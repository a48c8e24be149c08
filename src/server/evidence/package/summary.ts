import type { DataFlowFilter, TransferArea } from "#contract/data-flows.ts";
import type { KnownFacts } from "../stored-facts.ts";
import { doubtsAbout } from "./doubts.ts";
import type { KnownDocuments } from "./known-documents.ts";
import type { PackagedRequest } from "./packaged-requests.ts";
import type { RuleHistory } from "./rule-history.ts";

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

interface Traces {
  requests: number;
  with_content: number;
}

/** What a summary contains besides the counts. */
export interface SummaryOf {
  readonly orgId: string;
  readonly filter: DataFlowFilter;
  readonly rules: readonly RuleHistory[];
  /** Requests of the period whose providers are not recorded. */
  readonly unrecorded: number;
  /** From when on records exist, if that is later than the beginning of the period. */
  readonly recordsFrom: string | null;
}

/** A number of requests, and when the first and the last one began. Requests are counted oldest first. */
interface Span {
  requests: number;
  readonly first_at: string;
  last_at: string;
}

/** Adds a request to the span of a key. */
function spanOf<More extends object>(
  spans: Map<string, Span & More>,
  key: string,
  startedAt: string,
  more: () => More,
): Span & More {
  let span = spans.get(key);
  if (!span) {
    span = { requests: 0, first_at: startedAt, last_at: startedAt, ...more() };
    spans.set(key, span);
  }
  span.requests += 1;
  span.last_at = startedAt;
  return span;
}

const increment = (counts: Map<string, number>, key: string): void =>
  void counts.set(key, (counts.get(key) ?? 0) + 1);

const byName = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Most requests first, then by name. */
const byRequests =
  <One extends { readonly requests: number }>(nameOf: (one: One) => string) =>
  (a: One, b: One): number =>
    b.requests - a.requests || (nameOf(a) < nameOf(b) ? -1 : 1);

interface Received {
  readonly provider: string;
  readonly endpoint: string;
  readonly isAnswered: boolean;
  readonly known: KnownFacts | undefined;
}

/** Each endpoint that may have received a request, once. */
function receivedBy({ recipients, decision }: PackagedRequest, documents: KnownDocuments): Received[] {
  const reached = recipients.filter((one) => one.reached);
  return [...Map.groupBy(reached, ({ endpoint }) => endpoint)].map(([endpoint, tries]) => ({
    provider: tries[0]?.provider ?? "",
    endpoint,
    isAnswered: tries.some(({ outcome }) => outcome === "ok"),
    known: documents.factsOf(decision)?.get(endpoint),
  }));
}

interface OfEndpoint {
  readonly provider: string;
  readonly endpoint: string;
  readonly known: KnownFacts | undefined;
  answered: number;
  readonly byDecision: Map<string, number>;
}

function permissionsOf({ byDecision }: OfEndpoint, documents: KnownDocuments): Permission[] {
  const permissions = [...byDecision].map(([hash, requests]) => {
    const { rules = [], preferences = [] } = documents.decisionOf(hash) ?? {};
    return { decision: hash || null, rules, preferences, requests };
  });
  return permissions.sort(byRequests(({ decision }) => decision ?? ""));
}

const recipientOf = (one: Span & OfEndpoint, documents: KnownDocuments): Recipient => ({
  ...{ provider: one.provider, endpoint: one.endpoint },
  area: one.known?.area ?? "unknown",
  countries: one.known?.facts.place.countries ?? [],
  facts_hash: one.known?.hash ?? null,
  ...{ requests: one.requests, answered: one.answered, first_at: one.first_at, last_at: one.last_at },
  doubts: one.known ? doubtsAbout(one.known.facts, one.last_at.slice(0, 10)) : ["everything: not recorded"],
  allowed_by: permissionsOf(one, documents),
});

interface OfProvider {
  /** What was known of it last. */
  latest: KnownFacts | undefined;
}

function subProcessorOf(slug: string, { latest, requests, first_at, last_at }: Span & OfProvider) {
  const facts = latest?.facts.provider;
  return {
    slug,
    name: facts?.name ?? slug,
    legal_entity: facts?.legal_entity?.value ?? null,
    headquarters: facts?.headquarters ?? null,
    dpa_url: facts?.dpa_url ?? null,
    data_policy_url: facts?.data_policy_url ?? null,
    ...{ requests, first_at, last_at },
  };
}

/** Counts the figures of a package, request by request. */
export class Counts {
  readonly #documents: KnownDocuments;
  #requests = 0;
  #receivedByNobody = 0;
  #notInLog = 0;
  readonly #areas = new Map<string, number>();
  readonly #countries = new Map<string, number>();
  readonly #retentionDays = new Map<string, number>();
  readonly #recipients = new Map<string, Span & OfEndpoint>();
  readonly #providers = new Map<string, Span & OfProvider>();
  readonly #destinations = new Map<string, { id: string; residency: string | null } & Traces>();
  readonly #rules = new Map<string, number>();

  constructor(documents: KnownDocuments) {
    this.#documents = documents;
  }

  /** Adds requests, which must come oldest first. Their decisions and facts must be known. */
  add(requests: readonly PackagedRequest[]): void {
    for (const request of requests) this.#addOne(request);
  }

  #addOne(request: PackagedRequest): void {
    const { decision, started_at: startedAt } = request;
    const received = receivedBy(request, this.#documents);
    this.#requests += 1;
    if (received.length === 0) this.#receivedByNobody += 1;
    if (request.logIndex === null) this.#notInLog += 1;
    for (const rule of this.#documents.decisionOf(decision)?.rules ?? []) increment(this.#rules, rule);
    this.#addPlaces(received);
    for (const { provider, endpoint, known, isAnswered } of received) {
      const one = spanOf(this.#recipients, `${endpoint} ${known?.hash}`, startedAt, () => ({
        ...{ provider, endpoint, known, answered: 0 },
        byDecision: new Map<string, number>(),
      }));
      if (isAnswered) one.answered += 1;
      increment(one.byDecision, decision ?? "");
    }
    for (const [slug, some] of Map.groupBy(received, ({ provider }) => provider)) {
      const one = spanOf<OfProvider>(this.#providers, slug, startedAt, () => ({ latest: undefined }));
      one.latest = some.findLast(({ known }) => known)?.known ?? one.latest;
    }
    this.#addDestinations(request);
  }

  /** A request that was sent to two areas, or to an endpoint in two countries, counts in both. */
  #addPlaces(received: readonly Received[]): void {
    const each = (counts: Map<string, number>, keysOf: (one: Received) => readonly string[]) => {
      for (const key of new Set(received.flatMap(keysOf))) increment(counts, key);
    };
    each(this.#areas, ({ known }) => [known?.area ?? "unknown"]);
    each(this.#countries, ({ known }) => known?.facts.place.countries ?? []);
    each(this.#retentionDays, ({ known }) => [String(known?.facts.retention_days.value ?? "unknown")]);
  }

  /** A trace that filters had to search first may not have been sent. */
  #addDestinations({ destinations }: PackagedRequest): void {
    for (const { id, residency = null, content } of destinations) {
      const key = `${id} ${residency}`;
      const one = this.#destinations.get(key) ?? { id, residency, requests: 0, with_content: 0 };
      one.requests += 1;
      if (content === "sent") one.with_content += 1;
      this.#destinations.set(key, one);
    }
  }

  /** The figures. They depend on nothing but what was recorded. */
  summary({ orgId, filter, rules, unrecorded, recordsFrom }: SummaryOf) {
    return {
      format: 1,
      organisation_id: orgId,
      filter,
      requests: this.#requests,
      records_from: recordsFrom,
      unrecorded,
      received_by_nobody: this.#receivedByNobody,
      requests_by_area: byName(this.#areas),
      requests_by_country: byName(this.#countries),
      requests_by_retention_days: byName(this.#retentionDays),
      recipients: [...this.#recipients.values()]
        .map((one) => recipientOf(one, this.#documents))
        .sort(byRequests(({ endpoint, facts_hash }) => `${endpoint} ${facts_hash}`)),
      sub_processors: [...this.#providers]
        .map(([slug, one]) => subProcessorOf(slug, one))
        .sort(byRequests(({ slug }) => slug)),
      destinations: [...this.#destinations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one),
      rules: rules.map((rule) => ({ ...rule, applied_to_requests: this.#rules.get(rule.id) ?? 0 })),
      not_in_log: this.#notInLog,
    };
  }
}
export type Summary = ReturnType<Counts["summary"]>;
