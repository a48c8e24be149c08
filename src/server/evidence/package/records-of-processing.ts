import { countryName, placeText } from "#contract/places.ts";
import { areaName } from "./area-names.ts";
import type { Summary } from "./summary.ts";

/** What the organisation has to write itself, because Portolan does not know it. */
const open = (what: string): string => `[to be completed: ${what}]`;

/** A cell of a Markdown table: the text of somebody else must not change the table. */
const cell = (text: string | number | null): string =>
  String(text ?? "–")
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replaceAll(/\s+/g, " ");

function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  none: string,
) {
  if (rows.length === 0) return none;
  const line = (cells: readonly (string | number | null)[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}

const outside: readonly string[] = ["adequate", "third_country", "unknown"];

const recipients = ({ sub_processors }: Summary): string =>
  table(
    ["Recipient", "Legal entity", "Headquarters", "Requests", "Data processing agreement", "Data policy"],
    sub_processors.map((one) => [
      ...[one.name, one.legal_entity ?? open("legal entity")],
      ...[one.headquarters && countryName(one.headquarters), one.requests],
      ...[one.dpa_url ?? open("agreement"), one.data_policy_url],
    ]),
    "No provider received a request in this period.",
  );

const transfers = (summary: Summary): string =>
  table(
    ["Recipient", "Area", "Places", "Requests", "Safeguards (Art. 46)"],
    summary.recipients
      .filter(({ area }) => outside.includes(area))
      .map(({ endpoint, area, countries, requests }) => [
        ...[endpoint, areaName(area), placeText(countries, []), requests],
        area === "adequate" ? "adequacy decision (Art. 45)" : open("safeguards"),
      ]),
    "No request was sent outside the EU and the EEA in this period.",
  );

const retention = ({ requests_by_retention_days: days }: Summary): string =>
  table(
    ["Prompts stored by the provider for", "Requests"],
    Object.entries(days).map(([name, count]) => [
      name === "unknown" ? "unknown" : name === "0" ? "not stored" : `${name} days`,
      count,
    ]),
    "No provider received a request in this period.",
  );

/**
 * A draft of the record of processing activities (GDPR Art. 30(1)) for requests to language models, in Markdown. What
 * Portolan recorded is filled in; what only the organisation knows is marked.
 */
export const recordsOfProcessing = (
  summary: Summary,
): string => `# Record of processing activities: requests to language models

Draft under GDPR Art. 30(1), from the requests of ${summary.filter.from} to ${summary.filter.to}. Portolan filled in what it recorded. Complete the passages in brackets.

## Controller (a)

- Name and contact: ${open("controller, and joint controllers")}
- Data protection officer: ${open("name and contact")}
- Organisation in Portolan: ${summary.organisation_id}

## Purposes (b)

${open("why requests are sent to language models, and the legal basis")}

## Data subjects and personal data (c)

- Data subjects: ${open("for example employees and customers whose data prompts can contain")}
- In prompts and answers: ${open("categories of personal data, and whether special categories can occur")}
- Recorded by Portolan for each request: time, model, provider, tokens and cost, key and its owner, and if apps send them: end user, session, app and tags

## Recipients (d)

${recipients(summary)}

Destinations that receive traces: ${open("tools named under Destinations, with their operators")}

## Transfers to third countries (e)

${transfers(summary)}

## Time limits for erasure (f)

${retention(summary)}

In Portolan: stored responses expire as configured (\`RESPONSES_RETENTION_DAYS\`), records of requests are deleted after \`REQUEST_RETENTION_DAYS\` if it is set: ${open("values of your installation")}

## Security (g)

- Prompts and answers are stored only on request, encrypted (AES-256-GCM); API keys are stored as hashes.
- Access by roles and permissions; every change is in an audit log, which a transparency log makes tamper-evident.
- Routing rules restrict recipients by place, ownership, retention and training: ${summary.rules.length} in this period, see report.html.
- Further measures: ${open("operation of the installation, backups, TLS")}
`;
