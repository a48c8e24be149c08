import type { DecisionReplay } from "#contract/decision-replay.ts";
import { refusalMessage } from "#contract/refusal-message.ts";
import type { generation } from "#generated/prisma/client.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { exclusionsOf, type Routed, type Router, requestAgain, resultsOf } from "#server/policy/index.ts";

type Today = DecisionReplay["today"];

const refused = (message: string, results: Today["results"] = []): Today => ({
  ...{ is_served: false, endpoint: null, provider: null, is_same_endpoint: null, message, results },
});

function answerOf(routed: Routed, served: string | null, parameters: readonly string[]): Today {
  const results = resultsOf(routed, parameters);
  const [first] = routed.candidates;
  if (!first) {
    const excluded = routed.decisions.flatMap((decision) => exclusionsOf(decision.excluded));
    const unknown = results.find(({ reason }) => reason?.code === "model_not_found")?.reason?.message;
    return refused(excluded.length === 0 && unknown ? unknown : refusalMessage(excluded), results);
  }
  const { id, provider } = first.endpoint;
  return {
    ...{ is_served: true, endpoint: id, provider: provider.slug },
    is_same_endpoint: served === null ? null : id === served,
    ...{ message: null, results },
  };
}

/**
 * Where a recorded request would go under the rules of `router`, as a request of the same key. `workspaceId` is where
 * that key is now.
 */
export function replayToday(router: Router, row: generation, workspaceId: string | null): Today {
  const place = { orgId: row.org_id, workspaceId };
  const { ask, context } = requestAgain(row, place, isoDay(clock.nowMs()));
  try {
    return answerOf(router.route(ask, context), row.endpoint, context.needs?.parameters ?? []);
  } catch (error) {
    // The rule that it named was deleted, or no rule provides its model any more.
    if (error instanceof AppError) return refused(error.message);
    throw error;
  }
}
