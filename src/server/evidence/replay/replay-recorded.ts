import { z } from "zod";
import type { DecisionReplay } from "#contract/decision-replay.ts";
import type { generation } from "#generated/prisma/client.ts";
import { readColumns } from "#server/db/index.ts";
import { isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { exchangeRate } from "#server/platform/money.ts";
import {
  askOf,
  type Decision,
  NotReplayable,
  type RecordedRequest,
  readRoutingInput,
  replayDecision,
  resultsOf,
} from "#server/policy/index.ts";
import type { RecordedDocuments } from "./recorded-documents.ts";

type Recorded = DecisionReplay["recorded"];

const Ranked = z.array(z.array(z.int()));

const notReplayable = (message: string, decisionHash: string | null): Recorded => ({
  ...{ outcome: "not_replayable", message, routing_version: null },
  ...{ decision_hash: decisionHash, replayed_hash: null, results: [] },
});

const another = "Made again from the recorded rules, facts and prices, the decision is another one";
const notRecorded = "The inputs of this decision are not recorded: an earlier version of Portolan made it";

/** What the record of a request says that its decision was made from. */
function requestOf(row: generation, { endpoints }: RecordedDocuments): RecordedRequest {
  const { ranked } = readColumns(row, { ranked: [Ranked, []] });
  return {
    ask: askOf(row).ask,
    subject: { orgId: row.org_id, userId: row.user_id, workspaceId: row.workspace_id, keyId: row.api_key_id },
    today: isoDay(row.started_at.getTime()),
    exchangeRate: exchangeRate(row.fx_usd_per_eur.toString(), row.fx_date, ""),
    inputModalities: row.input_modalities,
    outputModalities: row.output_modalities,
    ranked: ranked.map((order) => order.map((position) => endpoints[position] ?? "")),
  };
}

const sameOrder = (ranked: unknown, other: unknown): boolean =>
  JSON.stringify(ranked) === JSON.stringify(other);

/** Returns a decision of the request's organisation with its documents; null if it is not stored. */
type ReadDecision = (hash: string) => Promise<RecordedDocuments | null>;

interface Replayed {
  readonly result: Recorded;
  /** The decisions that were made again, if they are the recorded ones; else null. */
  readonly decisions: readonly Decision[] | null;
}

/** Makes the decision of a recorded request again, from what was recorded with it, and compares the results. */
export async function replayRecorded(row: generation, read: ReadDecision): Promise<Recorded> {
  return (await remakeRecorded(row, read)).result;
}

/** The same, with the decisions themselves. */
export async function remakeRecorded(row: generation, read: ReadDecision): Promise<Replayed> {
  const without = (result: Recorded): Replayed => ({ result, decisions: null });
  if (row.decision_hash === null) return without(notReplayable(notRecorded, null));
  const hash = Buffer.from(row.decision_hash).toString("hex");
  const documents = await read(hash);
  if (documents === null) return without(notReplayable("The decision of this request is not stored", hash));
  if (documents.inputs === undefined) return without(notReplayable(notRecorded, hash));
  try {
    const inputs = readRoutingInput(documents.find.input, documents.inputs);
    const { routed, record } = replayDecision(requestOf(row, documents), inputs, documents.find);
    const isSame = record.basis.hash === hash && sameOrder(record.ranked, row.ranked);
    const result: Recorded = {
      outcome: isSame ? "identical" : "different",
      message: isSame
        ? "Made again from the recorded rules, facts and prices, the decision is the same"
        : another,
      routing_version: inputs.version,
      decision_hash: hash,
      replayed_hash: record.basis.hash,
      results: resultsOf(routed, inputs.parameters),
    };
    return { result, decisions: isSame ? routed.decisions : null };
  } catch (error) {
    if (error instanceof NotReplayable) return without(notReplayable(error.message, hash));
    // The record names a rule, or no model, with which nothing could have been decided.
    if (error instanceof AppError)
      return without({ ...notReplayable(`${another}: ${error.message}`, hash), outcome: "different" });
    throw error;
  }
}
