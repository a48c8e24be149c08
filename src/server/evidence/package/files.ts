import type { StoredDocument } from "#server/db/index.ts";
import type { KnownDocuments } from "./known-documents.ts";
import { recordsOfProcessing } from "./records-of-processing.ts";
import { reportOf } from "./report.ts";
import { reportHtml } from "./report-html.ts";
import { reportPdf } from "./report-pdf.ts";
import type { Summary } from "./summary.ts";

const readme = `Evidence package of Portolan

report.html        the report, for reading
report.pdf         the same, for archives (PDF/A)
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

interface Contents {
  readonly summary: Summary;
  readonly documents: KnownDocuments;
  /** What the decisions were made from, by hash. */
  readonly inputs: ReadonlyMap<string, StoredDocument>;
  /** Null if none of the requests is in the transparency log. */
  readonly log: LogState | null;
}

/** A file of a package. */
interface ArchiveFile {
  readonly name: string;
  readonly content: string | Buffer;
}

/** The files of a package except the list of requests, in the order of their names. */
export async function filesOf({ summary, documents, inputs, log }: Contents): Promise<ArchiveFile[]> {
  const report = reportOf(summary);
  const decisions = [...documents.decisions().values()];
  const files: ArchiveFile[] = [
    { name: "README.txt", content: readme },
    { name: "records-of-processing.md", content: recordsOfProcessing(summary) },
    { name: "report.html", content: reportHtml(report) },
    { name: "report.json", content: `${JSON.stringify(summary, null, 2)}\n` },
    { name: "report.pdf", content: await reportPdf(report) },
    ...decisions.map(({ hash, text }) => ({ name: `decisions/${hash}.json`, content: text })),
    ...[...inputs.values()].map(({ hash, body }) => ({ name: `inputs/${hash}.json`, content: body })),
    ...[...documents.factTexts()].map(([hash, text]) => ({ name: `facts/${hash}.json`, content: text })),
    ...(log
      ? [
          { name: "checkpoint.txt", content: log.checkpoint },
          { name: "public-keys.txt", content: log.publicKeys.map((key) => `${key}\n`).join("") },
        ]
      : []),
  ];
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
