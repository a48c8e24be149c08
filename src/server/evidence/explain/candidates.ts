import { endpointRole } from "#contract/attempt-words.ts";
import { exclusionLabel, setByText, whyText } from "#contract/exclusion-words.ts";
import type { Candidate } from "#contract/explanation.ts";
import type { GenerationDetail, RecordedDecision } from "#contract/generation.ts";
import { providerOfEndpoint } from "#contract/recorded-names.ts";
import { type Decision, endpointWords } from "#server/policy/index.ts";

type RecordedModel = RecordedDecision["models"][number];
type Facts = Pick<Candidate, "place" | "retention" | "price">;
type Verdict = Pick<Candidate, "reason_code" | "reason" | "set_by">;

const unknownFacts: Facts = { place: null, retention: null, price: null };
const admitted: Verdict = { reason_code: null, reason: null, set_by: null };

const rolesOfLast = {
  "Served by": "served",
  "Partly served by": "partly_served",
  "Last tried": "tried",
} as const;

/** What became of each endpoint that was tried. */
export function rolesOf(detail: Pick<GenerationDetail, "tries" | "status">): Map<string, Candidate["role"]> {
  const roles = new Map<string, Candidate["role"]>(detail.tries.map(({ endpoint }) => [endpoint, "tried"]));
  const last = detail.tries.at(-1);
  if (last) roles.set(last.endpoint, rolesOfLast[endpointRole(detail)]);
  return roles;
}

interface Sources {
  readonly recorded: RecordedModel;
  /** The decision made again, with facts and full reasons; undefined if it cannot be. */
  readonly decision: Decision | undefined;
  readonly roles: ReadonlyMap<string, Candidate["role"]>;
  /** Name of a rule, or of another origin, by what the record has. */
  readonly nameOf: (setBy: string) => string;
}

/** The endpoints of a model: the admitted ones in their order, then the excluded ones. */
export function candidatesOf({ recorded, decision, roles, nameOf }: Sources): Candidate[] {
  const excludedNow = new Map(decision?.excluded.map((one) => [one.endpoint.id, one]));
  const endpoints = [
    ...(decision?.ranked ?? []),
    ...[...excludedNow.values()].map(({ endpoint }) => endpoint),
  ];
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const common = (endpoint: string) => {
    const known = byId.get(endpoint);
    return {
      endpoint,
      provider: known?.provider.slug ?? providerOfEndpoint(endpoint),
      ...(known ? endpointWords(known) : unknownFacts),
    };
  };
  return [
    ...recorded.ranked.map((endpoint, at) => ({
      ...common(endpoint),
      ...{ rank: at + 1, role: roles.get(endpoint) ?? ("not_tried" as const) },
      ...admitted,
    })),
    ...recorded.excluded.map(({ endpoint, excluded_by, set_by }) => {
      const first = excludedNow.get(endpoint)?.refusals[0];
      return {
        ...common(endpoint),
        ...{ rank: null, role: "excluded" as const, reason_code: excluded_by },
        reason: first ? whyText(first) : exclusionLabel(excluded_by),
        // The name in a replayed rule may be of another person: names come from the caller's own view.
        set_by: first && first.set_by.rule_id === undefined ? setByText(first.set_by, "") : nameOf(set_by),
      };
    }),
  ];
}
