import type { DataFlowFilter } from "#contract/data-flows.ts";
import { checkpointAt, type LogDeps } from "#server/transparency/index.ts";
import { recordsFrom } from "../data-flows.ts";
import { readInputs } from "../replay/recorded-documents.ts";
import type { SelectionDeps } from "../selection.ts";
import { assertWithin, type PackageBounds } from "./bounds.ts";
import { filesOf } from "./files.ts";
import { KnownDocuments } from "./known-documents.ts";
import { type PackagedStep, readPackagedRequests } from "./packaged-requests.ts";
import { csvHeader, csvLines } from "./requests-csv.ts";
import { ruleHistories } from "./rule-history.ts";
import { Counts } from "./summary.ts";
import { zipWriter } from "./zip.ts";

export interface PackageDeps extends SelectionDeps {
  readonly log: LogDeps;
}

/** How far the requests of a period are read. */
export interface PackageProgress {
  readonly requests: number;
  readonly readUntil: string;
}

interface Writing {
  readonly orgId: string;
  readonly filter: DataFlowFilter;
  readonly bounds: PackageBounds;
  /** Gets the bytes of the archive in order. */
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Called after each part of the period. What it throws ends the writing. */
  readonly onProgress: (progress: PackageProgress) => Promise<void>;
}

/** Reads the requests once, as lines of the list, and counts them. */
class RequestList {
  readonly documents: KnownDocuments;
  readonly counts: Counts;
  readonly #deps: PackageDeps;
  readonly #writing: Writing;
  #requests = 0;
  #unrecorded = 0;
  /** Entries that the transparency log must have to contain all of the requests. */
  #logSize = 0;

  constructor(deps: PackageDeps, writing: Writing) {
    this.#deps = deps;
    this.#writing = writing;
    this.documents = new KnownDocuments(deps, writing.orgId, writing.bounds);
    this.counts = new Counts(this.documents);
  }

  async *lines(): AsyncGenerator<string> {
    const { orgId, filter, onProgress } = this.#writing;
    yield csvHeader;
    for await (const step of readPackagedRequests(this.#deps, orgId, filter)) {
      yield* this.#linesOf(step);
      await onProgress({ requests: this.#requests, readUntil: step.until });
    }
  }

  async *#linesOf({ pieces, unrecorded }: PackagedStep): AsyncGenerator<string> {
    this.#unrecorded += unrecorded;
    for await (const requests of pieces) {
      this.#requests += requests.length;
      assertWithin(this.#writing.bounds, "requestsMax", this.#requests);
      await this.documents.read(requests);
      this.counts.add(requests);
      for (const { logIndex } of requests) this.#logSize = Math.max(this.#logSize, (logIndex ?? -1) + 1);
      yield csvLines(requests, this.documents);
    }
  }

  totals() {
    return { requests: this.#requests, unrecorded: this.#unrecorded, logSize: this.#logSize };
  }
}

/**
 * Writes an evidence package: a ZIP archive with every request, a readable report, the same as JSON, and the decisions,
 * facts and the checkpoint that prove them. The same filter gives the same bytes again. Returns how many requests it
 * has. Throws BAD_REQUEST if it becomes too large.
 */
export async function writePackage(deps: PackageDeps, writing: Writing): Promise<number> {
  const { orgId, filter, write } = writing;
  const { database } = deps;
  const zip = zipWriter(write);
  const list = new RequestList(deps, writing);
  await zip.add("requests.csv", list.lines());
  const { requests, unrecorded, logSize } = list.totals();
  const summary = list.counts.summary({
    ...{ orgId, filter, unrecorded },
    rules: await ruleHistories(database, orgId, filter),
    recordsFrom: await recordsFrom(database, filter.from),
  });
  const { documents } = list;
  const roots = [...documents.decisions().values()].flatMap(({ inputs }) => inputs ?? []);
  const inputs = await readInputs(database, orgId, roots);
  const log = logSize === 0 ? null : await checkpointAt(deps.log, { orgId }, logSize);
  const files = await filesOf({ summary, documents, inputs, log });
  assertWithin(writing.bounds, "filesMax", files.length + 1);
  for (const { name, content } of files) await zip.add(name, content);
  await zip.end();
  return requests;
}
