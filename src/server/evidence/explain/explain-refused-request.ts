import type { RefusalExplanation } from "#contract/refusal-explanation.ts";
import type { RefusedRequest } from "#contract/refused-request.ts";
import type { Authorized } from "#server/access/authorize.ts";
import type { Database } from "#server/db/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { rulesSeen } from "#server/policy/index.ts";
import { excludingRules, explainRefusal } from "./explain-refusal.ts";
import { ruleAuthors } from "./rule-authors.ts";

/** Explains similar refused requests of the caller, with the rules that the caller may see. */
export async function explainRefusedRequest(
  database: Database,
  caller: Authorized<"activity:read">,
  refused: RefusedRequest,
): Promise<RefusalExplanation> {
  const rules = await rulesSeen(database, caller, excludingRules(refused));
  const authors = await ruleAuthors(
    database,
    caller,
    rules.map((rule) => rule.id),
    isoTime(clock.nowMs()),
  );
  return explainRefusal(
    refused,
    new Map(rules.map((rule) => [rule.id, { rule, changedBy: authors.get(rule.id) ?? null }])),
  );
}
