import fc from "fast-check";
import type { DataFlowFilter, DataFlowReport, TransferArea } from "#contract/data-flows.ts";
import type { EndpointFacts } from "#contract/endpoint-facts.ts";
import type { AttemptRecord, Database, GenerationRow } from "#server/db/index.ts";
import { canonicalText } from "#server/platform/canonical-json.ts";
import { isoTime } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { generationRow, type TestOrganisation } from "./factories.ts";

const unknownFact = { value: null, sources: [], as_of: null, expires_at: null, confidence: "none" } as const;

/** Facts of an endpoint in one country, or in none. */
export function factsOf(endpoint: string, country: string | null): EndpointFacts {
  const [slug = ""] = endpoint.split(":");
  return {
    endpoint,
    model: "m",
    layer: "shipped",
    provider: {
      ...{ slug, name: `Provider ${slug}`, layer: "shipped", headquarters: null, self_hosted: false },
      ...{
        legal_entity: unknownFact,
        eu_owned: unknownFact,
        storage_countries: unknownFact,
        dpf_certified: false,
      },
      ...{ conditional_retention_days: null, unverified: [], dpa_url: null, data_policy_url: null },
    },
    place: {
      countries: country === null ? [] : [country],
      ...{ region_groups: [], sources: [], as_of: null, expires_at: null, confidence: "high" },
    },
    ...{ training: unknownFact, retention_days: unknownFact, price: null },
  };
}

interface Decision {
  readonly hash: string;
  readonly body: string;
  readonly rules: readonly string[];
  readonly facts: ReadonlyMap<
    string,
    { readonly hash: string; readonly text: string; readonly facts: EndpointFacts }
  >;
}

/** A decision among endpoints in these countries; `excluded` are endpoints outside of the allowed ones. */
export function decisionAmong(
  places: Readonly<Record<string, string | null>>,
  rules: readonly string[] = [],
  { model = "m", excluded = [] }: { readonly model?: string; readonly excluded?: readonly string[] } = {},
): Decision {
  const facts = new Map(
    Object.entries(places).map(([endpoint, country]) => {
      const known = factsOf(endpoint, country);
      // A later version may know more: what is stored stays as it is.
      const text = canonicalText({ ...known, of_a_later_version: true });
      return [endpoint, { hash: sha256Hex(text), text, facts: known }];
    }),
  );
  const hashes = [...facts.values()].map(({ hash }) => hash);
  const body = canonicalText({
    endpoints: Object.keys(places),
    facts: hashes,
    models: [
      {
        ...{ model, rules, rule_count: rules.length, preferences: {}, strategy: "balanced" },
        excluded: excluded.map((endpoint) => ({ endpoint, excluded_by: "data_region", set_by: "org" })),
      },
    ],
  });
  return { hash: sha256Hex(body), body, facts, rules };
}

export async function storeDecisions(
  { statement }: Database,
  orgId: string,
  decisions: readonly Decision[],
): Promise<void> {
  const add = (table: string, hash: string, body: string) =>
    statement(
      `insert into ${table} (org_id, hash, body, seen_on) values ($1::uuid, decode($2, 'hex'), $3::json, current_date)
       on conflict do nothing`,
      [orgId, hash, body],
    );
  for (const { hash, body, facts } of decisions) {
    await add("decision_basis", hash, body);
    for (const one of facts.values()) await add("endpoint_facts", one.hash, one.text);
  }
}

const outcomes = ["ok", "timeout", "refused", "blocked", "server_error"] as const;

interface Pool {
  readonly organisation: TestOrganisation;
  readonly decisions: readonly Decision[];
  readonly endpoints: readonly string[];
  readonly users: readonly string[];
  readonly workspaces: readonly string[];
  readonly fromMs: number;
}

const providerOf = (endpoint: string): string => endpoint.split(":")[0] ?? "";

/** Requests with every form of recorded attempts. */
export const arbitraryRequests = ({
  organisation,
  decisions,
  endpoints,
  users,
  workspaces,
  fromMs,
}: Pool) => {
  const endpoint = fc.constantFrom(...endpoints);
  const attempt = fc
    .record({ endpoint, outcome: fc.constantFrom(...outcomes) })
    .map(
      (one): AttemptRecord => ({ ...one, provider: providerOf(one.endpoint), status: 200, duration_ms: 1 }),
    );
  const tried = fc.oneof(
    endpoint.map((one) => ({ attempts: null, attempt_ms: 3, endpoint: one, status: "completed" as const })),
    fc.array(attempt, { minLength: 1, maxLength: 3 }).map((attempts) => ({
      attempts,
      attempt_ms: null,
      endpoint: attempts.at(-1)?.endpoint ?? null,
      status: "failed" as const,
    })),
    fc.option(endpoint).map((one) => ({
      attempts: [],
      attempt_ms: null,
      endpoint: one,
      status: "interrupted" as const,
    })),
  );
  return fc
    .record({
      tried,
      decision: fc.option(fc.constantFrom(...decisions)),
      user: fc.option(fc.constantFrom(...users)),
      workspace: fc.option(fc.constantFrom(...workspaces)),
      minutes: fc.nat({ max: 59 }),
    })
    .map(({ tried: of, decision, user, workspace, minutes }) =>
      generationRow(organisation, "0.001", {
        ...of,
        provider: of.endpoint === null ? null : providerOf(of.endpoint),
        decision_hash: decision && `\\x${decision.hash}`,
        user_reference: user,
        workspace_id: workspace,
        started_at: isoTime(fromMs + minutes * 60_000),
      }),
    );
};

interface Tried {
  readonly endpoint: string;
  readonly outcome: string;
  readonly reached: boolean;
}

/** What a row tried, said a second time without SQL. */
export function triedBy({ attempts, endpoint }: GenerationRow): Tried[] {
  if (attempts !== null && attempts.length > 0)
    return attempts.map((one) => ({
      endpoint: one.endpoint,
      outcome: one.outcome,
      reached: one.outcome !== "refused" && one.outcome !== "blocked",
    }));
  if (endpoint === null) return [];
  return [{ endpoint, outcome: attempts === null ? "ok" : "unrecorded", reached: true }];
}

const areaOfCountry: Readonly<Record<string, TransferArea>> = {
  FR: "eu",
  NO: "eea",
  CH: "adequate",
  CN: "third_country",
};

const decisionOf = (decisions: readonly Decision[], { decision_hash: hash }: GenerationRow) =>
  decisions.find((one) => `\\x${one.hash}` === hash);

export const factsFor = (decisions: readonly Decision[], row: GenerationRow, endpoint: string) =>
  decisionOf(decisions, row)?.facts.get(endpoint);

const areaFor = (known: ReturnType<typeof factsFor>): TransferArea =>
  areaOfCountry[known?.facts.place.countries[0] ?? ""] ?? "unknown";

/** The rows that a filter means, newest first. */
export function meant(
  rows: readonly GenerationRow[],
  decisions: readonly Decision[],
  filter: DataFlowFilter,
): GenerationRow[] {
  const { provider, endpoint, area, country, facts_hash, end_user, workspace_id, rule_id } = filter;
  const ofRecipient = (row: GenerationRow) => {
    if (![provider, endpoint, area, country, facts_hash].some((one) => one !== undefined)) return true;
    return triedBy(row).some((tried) => {
      const known = factsFor(decisions, row, tried.endpoint);
      return (
        tried.reached &&
        (provider === undefined || providerOf(tried.endpoint) === provider) &&
        (endpoint === undefined || tried.endpoint === endpoint) &&
        (area === undefined || areaFor(known) === area) &&
        (country === undefined || known?.facts.place.countries[0] === country) &&
        (facts_hash === undefined || known?.hash === facts_hash)
      );
    });
  };
  return rows
    .filter((row) => row.started_at >= filter.from && row.started_at < filter.to)
    .filter((row) => workspace_id === undefined || row.workspace_id === workspace_id)
    .filter((row) => rule_id === undefined || decisionOf(decisions, row)?.rules.includes(rule_id))
    .filter((row) => end_user === undefined || row.user_reference === end_user)
    .filter(ofRecipient)
    .sort((a, b) =>
      a.started_at === b.started_at ? (a.id < b.id ? -1 : 1) : a.started_at < b.started_at ? 1 : -1,
    );
}

type Recipient = Pick<
  DataFlowReport["recipients"][number],
  "endpoint" | "facts_hash" | "area" | "requests" | "answered" | "unreached"
>;

/** The recipients of some rows. */
export function recipientsOf(rows: readonly GenerationRow[], decisions: readonly Decision[]): Recipient[] {
  const found = new Map<string, Recipient>();
  for (const row of rows) {
    const tried = triedBy(row);
    for (const endpoint of new Set(tried.map((one) => one.endpoint))) {
      const known = factsFor(decisions, row, endpoint);
      const ofEndpoint = tried.filter((one) => one.endpoint === endpoint);
      const place = `${endpoint} ${known?.hash}`;
      const same = found.get(place);
      found.set(place, {
        endpoint,
        facts_hash: known?.hash ?? null,
        area: areaFor(known),
        requests: (same?.requests ?? 0) + 1,
        answered: (same?.answered ?? 0) + (ofEndpoint.some((one) => one.outcome === "ok") ? 1 : 0),
        unreached: (same?.unreached ?? 0) + (ofEndpoint.some((one) => !one.reached) ? 1 : 0),
      });
    }
  }
  return [...found.values()];
}
