import type { Explanation } from "#contract/explanation.ts";
import type { GenerationDetail } from "#contract/generation.ts";
import { isRuleId } from "#contract/recorded-names.ts";
import type { Authorized } from "#server/access/authorize.ts";
import { ownRows } from "#server/access/scope.ts";
import type { Database } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import { ruleNames } from "#server/policy/index.ts";
import { readRecordedDocuments } from "../replay/recorded-documents.ts";
import { remakeRecorded } from "../replay/replay-recorded.ts";
import { explain, type RuleNote } from "./explain.ts";
import { ruleAuthors } from "./rule-authors.ts";

/** Explains one of the caller's requests, of which `detail` is the record. Throws NOT_FOUND if there is no such request. */
export async function explainGeneration(
  database: Database,
  caller: Authorized<"activity:read">,
  detail: GenerationDetail,
): Promise<Explanation> {
  const row = await database.prisma.generation.findFirst({ where: { id: detail.id, ...ownRows(caller) } });
  if (!row) throw notFound("generation", "id");
  const ids = detail.decision.models.flatMap(({ rules, excluded }) => [
    ...rules,
    ...excluded.map(({ set_by }) => set_by),
  ]);
  const named = await ruleNames(database, caller, [...new Set(ids.filter(isRuleId))]);
  const authors = await ruleAuthors(database, caller, Object.keys(named), detail.started_at);
  const rules = new Map<string, RuleNote>(
    Object.entries(named).map(([rule, name]) => [rule, { name, changedBy: authors.get(rule) ?? null }]),
  );
  const { decisions } = await remakeRecorded(row, (hash) =>
    readRecordedDocuments(database, row.org_id, hash),
  );
  return explain({ detail, decisions, rules });
}
