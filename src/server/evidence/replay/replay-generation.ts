import type { DecisionReplay } from "#contract/decision-replay.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import { isAdministrator } from "#server/accounts/index.ts";
import type { Database } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { type Router, RuleIndex, routingState } from "#server/policy/index.ts";
import { readRecordedDocuments } from "./recorded-documents.ts";
import { replayRecorded } from "./replay-recorded.ts";
import { replayToday } from "./replay-today.ts";
import { impersonalResults } from "./rule-names.ts";

type Results = DecisionReplay["today"]["results"];

/**
 * Makes the decision of one of the caller's requests again, and the one of today. Throws NOT_FOUND if there is no such
 * request.
 */
export async function replayGeneration(
  database: Database,
  router: Router,
  caller: Authorized<"activity:read">,
  id: string,
): Promise<DecisionReplay> {
  const row = await database.prisma.generation.findFirst({ where: { id, ...ownRows(caller) } });
  if (!row) throw notFound("generation", "id");
  const { rules, workspaces } = await routingState(database, caller);
  const workspaceId = workspaces.get(row.api_key_id) ?? null;
  const recorded = await replayRecorded(row, (hash) => readRecordedDocuments(database, row.org_id, hash));
  const today = replayToday(router.under(new RuleIndex(rules)), row, workspaceId);
  const seesNames = row.user_id === caller.userId || (await isAdministrator(database.prisma, caller));
  const shown = seesNames ? (results: Results) => results : impersonalResults;
  return {
    generation_id: id,
    recorded: { ...recorded, results: shown(recorded.results) },
    today: { ...today, results: shown(today.results) },
  };
}
