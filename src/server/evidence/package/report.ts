import { countryName, placeText } from "#contract/places.ts";
import { areaName } from "./area-names.ts";
import type { Summary } from "./summary.ts";

type Cell = string | number | null;

export interface ReportTable {
  /** Empty for a table of names and values. */
  readonly headings: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What to say without rows. */
  readonly none: string;
}

interface ReportSection {
  readonly title: string;
  /** Paragraphs and tables, in their order. */
  readonly content: readonly (string | ReportTable)[];
}

/** What people read of a package, in a form that becomes HTML and PDF. */
export interface Report {
  readonly title: string;
  /** The end of its period. */
  readonly until: string;
  readonly sections: readonly ReportSection[];
}

const table = (headings: ReportTable["headings"], rows: ReportTable["rows"], none: string): ReportTable => ({
  headings,
  rows,
  none,
});

const section = (title: string, ...content: ReportSection["content"]): ReportSection => ({ title, content });

const day = (time: string): string => time.slice(0, 10);
const outside: readonly string[] = ["adequate", "third_country", "unknown"];

const counts = (figures: Readonly<Record<string, number>>, nameOf: (key: string) => string) =>
  Object.entries(figures).map(([key, count]) => [nameOf(key), count] as const);

function overview(summary: Summary): ReportSection {
  const { filter, requests, received_by_nobody, unrecorded, records_from, not_in_log } = summary;
  const { from, to, ...others } = filter;
  const limits = Object.entries(others).map(([name, value]) => [name, String(value)] as const);
  const rows: (readonly Cell[])[] = [
    ["Organisation", summary.organisation_id],
    ["Period", `${from} to ${to} (the end is not included)`],
    ...limits,
    ["Requests", requests],
    ["Received by no provider", received_by_nobody],
    ["Interrupted before a provider was recorded", unrecorded],
    ["Records exist since", records_from ?? "the beginning of the period"],
    ["Not in the transparency log", not_in_log],
  ];
  return section("Overview", table([], rows, ""));
}

function transfers({ recipients, rules }: Summary): ReportSection {
  const named = new Map(rules.map(({ id, name }) => [id, name ?? id]));
  const rows = recipients
    .filter(({ area }) => outside.includes(area))
    .flatMap(({ endpoint, area, countries, allowed_by }) =>
      allowed_by.map(({ rules: ids, preferences, requests }) => [
        endpoint,
        areaName(area),
        placeText(countries, []),
        requests,
        ids.map((id) => named.get(id) ?? id).join(", ") || "no rule",
        preferences.map((one) => JSON.stringify(one)).join(" ") || "none recorded",
      ]),
    );
  return section(
    "Transfers outside the EU and the EEA (GDPR Chapter V)",
    "By the facts of the time of each request. Requests were sent there because the rules and preferences in the last columns allow it. Safeguards of Art. 46 are not recorded.",
    table(
      ["Endpoint", "Area", "Places", "Requests", "Rules that applied", "Preferences of rules and request"],
      rows,
      "No request was sent outside the EU and the EEA.",
    ),
  );
}

function recipientsAndDoubts({ recipients, sub_processors }: Summary): ReportSection[] {
  const received = recipients.map((one) => [
    one.endpoint,
    areaName(one.area),
    placeText(one.countries, []),
    one.requests,
    one.answered,
    `${day(one.first_at)} to ${day(one.last_at)}`,
    one.facts_hash?.slice(0, 16) ?? "not recorded",
  ]);
  const doubts = recipients.flatMap(({ endpoint, requests, doubts: some }) =>
    some.map((doubt) => [endpoint, doubt, requests]),
  );
  const providers = sub_processors.map((one) => [
    one.name,
    one.legal_entity ?? "unknown",
    one.headquarters && countryName(one.headquarters),
    one.requests,
    `${day(one.first_at)} to ${day(one.last_at)}`,
    one.dpa_url,
    one.data_policy_url,
  ]);
  return [
    section(
      "Recipients",
      table(
        ["Endpoint", "Area", "Places", "Requests", "Answered", "First and last", "Facts (SHA-256)"],
        received,
        "No provider received a request.",
      ),
    ),
    section(
      "Sub-processors",
      table(
        [
          "Provider",
          "Legal entity",
          "Headquarters",
          "Requests",
          "First and last",
          "Data processing agreement",
          "Data policy",
        ],
        providers,
        "None.",
      ),
    ),
    section(
      "Facts that were unknown, expired, not verified or the organisation's own",
      table(["Endpoint", "Fact", "Requests"], doubts, "None."),
    ),
  ];
}

const destinationSection = ({ destinations }: Summary): ReportSection =>
  section(
    "Destinations of traces",
    "Observability tools of the organisation that traces of these requests were handed to.",
    table(
      ["Destination", "Stores in", "Requests", "With prompt and answer"],
      destinations.map((one) => [one.id, one.residency ?? "unknown", one.requests, one.with_content]),
      "No trace was handed to a destination.",
    ),
  );

function ruleSection({ rules, requests }: Summary): ReportSection {
  const rows = rules.map((rule) => [
    rule.name ?? rule.id,
    rule.id,
    rule.in_force_throughout ? "yes" : "no",
    `${rule.applied_to_requests} of ${requests}`,
    rule.changes_in_period
      .map(({ at, action, position }) => `${at} ${action} (entry ${position})`)
      .join("; "),
  ]);
  return section(
    "Routing rules",
    "From the audit log, whose entries the transparency log proves. A rule that was not changed and was enabled when the period began was in force throughout.",
    table(
      ["Rule", "ID", "In force throughout", "Applied to", "Changes in the period"],
      rows,
      "There were no rules.",
    ),
  );
}

/** The readable report of a package. */
export const reportOf = (summary: Summary): Report => ({
  title: `Where requests went, ${day(summary.filter.from)} to ${day(summary.filter.to)}`,
  until: summary.filter.to,
  sections: [
    overview(summary),
    section(
      "Requests by area",
      table(["Area", "Requests"], counts(summary.requests_by_area, areaName), "None."),
      table(
        ["Country", "Requests"],
        counts(summary.requests_by_country, countryName),
        "No country is known.",
      ),
      table(["Retention in days", "Requests"], counts(summary.requests_by_retention_days, String), "None."),
      "A request that was sent to several is counted at each.",
    ),
    transfers(summary),
    ...recipientsAndDoubts(summary),
    destinationSection(summary),
    ruleSection(summary),
  ],
});
