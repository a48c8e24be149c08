import { setImmediate as nextTurn } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";
import type { PackagedRequest } from "./packaged-requests.ts";
import { recordsOfProcessing } from "./records-of-processing.ts";
import { reportHtml } from "./report-html.ts";
import { type Collected, summarise } from "./summary.ts";
import type { ZipFile } from "./zip.ts";

const columns = [
  ...["id", "started_at", "operation", "model", "status", "api_key_id", "user_id", "end_user", "session_id"],
  ...["recipients", "destinations", "decision", "facts", "receipt_hash", "log_index"],
];

/** One line per request; texts cannot become formulas of a spreadsheet. */
const linesOf = (requests: readonly PackagedRequest[], facts: Collected["facts"], header: boolean): string =>
  stringify(
    requests.map((one: PackagedRequest) => ({
      ...one,
      recipients: one.recipients.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`).join("; "),
      destinations: one.destinations.map(({ id, content }) => `${id} ${content}`).join("; "),
      facts: [...new Set(one.recipients.map(({ endpoint }) => endpoint))]
        .map((endpoint) => facts.get(one.decision ?? "")?.get(endpoint)?.hash ?? "unknown")
        .join("; "),
      receipt_hash: one.receiptHash,
      log_index: one.logIndex ?? "",
    })),
    { header, columns, escape_formulas: true },
  );

const linesTogether = 1_000;

/** With a pause after some lines, so that other requests are not delayed. */
async function requestsCsv({ requests, facts }: Collected): Promise<string> {
  let text = linesOf(requests.slice(0, linesTogether), facts, true);
  for (let at = linesTogether; at < requests.length; at += linesTogether) {
    await nextTurn();
    text += linesOf(requests.slice(at, at + linesTogether), facts, false);
  }
  return text;
}

const readme = `Evidence package of Portolan

report.html        the report, for reading
report.json        the same figures, for programs
records-of-processing.md
                   a draft of the record of processing activities (GDPR Art. 30), to be completed
requests.csv       every request: who received it, its decision and facts, the hash of its receipt, its index in the
                   transparency log
decisions/         what decided where requests may go, each under its SHA-256 (canonical JSON, RFC 8785)
inputs/            what decisions were made from: endpoints with prices, and rules, each under its SHA-256
facts/             what was known of endpoints, each under its SHA-256 (canonical JSON, RFC 8785)
checkpoint.txt     the signed checkpoint of the transparency log after the last of these requests (C2SP tlog-checkpoint)
public-keys.txt    the public keys of the log. Compare them with those that you stored earlier.

The same package is the same bytes whenever it is built. An entry of the log is the byte 2, the 16 bytes of the id of the
request, and the 32 bytes of receipt_hash. GET /api/v1/generations/{id}/receipt proves a single request, and verify.mjs
verifies the proof. A checkpoint that somebody else stored earlier or later must be consistent with checkpoint.txt: GET
/api/v1/transparency-log/consistency?from=<its number of entries>.
`;

interface LogState {
  readonly checkpoint: string;
  readonly publicKeys: readonly string[];
}

/** The files of a package, in the order of their names. */
export async function filesOf(collected: Collected, log: LogState | null): Promise<ZipFile[]> {
  const summary = summarise(collected);
  const facts = new Map(
    [...collected.facts.values()].flatMap((ofDecision) =>
      [...ofDecision.values()].map((known) => [known.hash, known.text] as const),
    ),
  );
  const files: ZipFile[] = [
    { name: "README.txt", text: readme },
    { name: "records-of-processing.md", text: recordsOfProcessing(summary) },
    { name: "report.html", text: reportHtml(summary) },
    { name: "report.json", text: `${JSON.stringify(summary, null, 2)}\n` },
    { name: "requests.csv", text: await requestsCsv(collected) },
    ...[...collected.decisions.values()].map(({ hash, text }) => ({ name: `decisions/${hash}.json`, text })),
    ...[...collected.inputs.values()].map(({ hash, body }) => ({ name: `inputs/${hash}.json`, text: body })),
    ...[...facts].map(([hash, text]) => ({ name: `facts/${hash}.json`, text })),
    ...(log
      ? [
          { name: "checkpoint.txt", text: log.checkpoint },
          { name: "public-keys.txt", text: log.publicKeys.map((key) => `${key}\n`).join("") },
        ]
      : []),
  ];
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
