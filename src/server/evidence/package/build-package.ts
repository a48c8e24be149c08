import { hash } from "node:crypto";
import type { DataFlowFilter } from "#contract/data-flows.ts";
import type { EvidencePackage } from "#contract/evidence-package.ts";
import { clock } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { checkpointAt, type LogDeps } from "#server/transparency/index.ts";
import { countUnrecorded, recordsFrom } from "../data-flows.ts";
import { readInputs } from "../replay/recorded-documents.ts";
import { type Auditor, type SelectionDeps, selectionOf } from "../selection.ts";
import { factsOfDecisions } from "../stored-facts.ts";
import { readDecisions } from "./decisions.ts";
import { filesOf } from "./files.ts";
import { readPackagedRequests } from "./packaged-requests.ts";
import { ruleHistories } from "./rule-history.ts";
import type { Collected } from "./summary.ts";
import { zipOf } from "./zip.ts";

const { completeAfterMs } = limits.evidencePackages;

export interface PackageDeps extends SelectionDeps {
  readonly log: LogDeps;
}

async function collect(deps: PackageDeps, caller: Auditor, filter: DataFlowFilter): Promise<Collected> {
  const { database, adequacyOff } = deps;
  const { orgId } = caller;
  const requests = await readPackagedRequests(deps, caller, filter);
  const hashes = [...new Set(requests.flatMap(({ decision }) => decision ?? []))].sort();
  const decisions = await readDecisions(database, orgId, hashes);
  const { selected, anywhere } = await selectionOf(deps, caller, filter);
  return {
    ...{ orgId, filter, requests },
    decisions,
    inputs: await readInputs(
      database,
      orgId,
      [...decisions.values()].flatMap(({ inputs }) => inputs ?? []),
    ),
    facts: await factsOfDecisions(database, orgId, hashes, adequacyOff),
    rules: await ruleHistories(database, orgId, filter),
    unrecorded: await countUnrecorded(database, anywhere ?? selected),
    recordsFrom: await recordsFrom(database, filter.from),
  };
}

/**
 * Builds an evidence package: a ZIP archive with a readable report, the same as JSON, every request, and the decisions,
 * facts and the checkpoint that prove them. The same filter gives the same bytes again. Throws BAD_REQUEST for too many
 * requests, and for a period that is not over.
 */
export async function buildPackage(
  deps: PackageDeps,
  caller: Auditor,
  filter: DataFlowFilter,
): Promise<EvidencePackage> {
  if (Date.parse(filter.to) > clock.nowMs() - completeAfterMs)
    throw new AppError("BAD_REQUEST", `to: must be at least ${completeAfterMs / 60_000} minutes ago`, {
      param: "to",
    });
  const collected = await collect(deps, caller, filter);
  const indexes = collected.requests.flatMap(({ logIndex }) => logIndex ?? []);
  const size = indexes.reduce((greatest, index) => Math.max(greatest, index + 1), 0);
  const log = size === 0 ? null : await checkpointAt(deps.log, caller, size);
  const archive = await zipOf(await filesOf(collected, log));
  return {
    file_name: `evidence-${filter.from.slice(0, 10)}-${filter.to.slice(0, 10)}.zip`,
    sha256: hash("sha256", archive, "hex"),
    requests: collected.requests.length,
    content: archive.toString("base64"),
  };
}
