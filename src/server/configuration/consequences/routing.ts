import type { Consequence } from "#contract/configuration.ts";
import { type RoutingRuleCreate, RoutingRuleCreate as RuleInput, scopeOf } from "#contract/routing-rule.ts";
import type { SimulationResult } from "#contract/simulation.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import {
  type RoutingState,
  type Rule,
  routingState,
  type SimulationDeps,
  simulateStates,
} from "#server/policy/index.ts";
import { kindNamed } from "../kinds.ts";
import type { Change } from "../plan.ts";
import type { PlannedFile } from "../plan-file.ts";
import type { Session } from "../session.ts";
import { counted } from "./consequence.ts";

/** An ID for what does not exist yet, and so has no recorded requests. */
const nobody = "00000000-0000-4000-8000-000000000000";

function ownerOf(input: RoutingRuleCreate, orgId: string): string {
  const owners = { org: orgId, workspace: input.workspace_id, api_key: input.api_key_id, user: null };
  return owners[scopeOf(input)] ?? nobody;
}

/** A rule of the file as the engine sees it. */
function plannedRule({ names, caller }: Session, planned: PlannedFile, change: Change): Rule {
  const { given } = planned.desiredOf(change);
  const idOf = (to: Parameters<typeof names.find>[0], name: string) => names.find(to, name) ?? nobody;
  const input = RuleInput.parse(kindNamed("rules").form.input(given, idOf));
  return {
    id: change.current?.id ?? `${nobody}-${change.key}`,
    name: input.name,
    scope: scopeOf(input),
    ownerId: ownerOf(input, caller.orgId),
    workspaceId: input.workspace_id ?? null,
    orgId: caller.orgId,
    models: [...new Set([...(input.model ? [input.model] : []), ...(input.models ?? [])])],
    preferences: input.provider ?? {},
    enabled: input.enabled,
    autoApply: input.auto_apply,
    updatedAtMs: clock.nowMs(),
  };
}

/** The routing after one change. */
function after(session: Session, planned: PlannedFile, state: RoutingState, change: Change): RoutingState {
  if (change.kind === "keys") {
    const workspace = change.desired?.values.workspace;
    const id = typeof workspace === "string" ? (session.names.find("workspaces", workspace) ?? nobody) : null;
    return { ...state, workspaces: new Map([...state.workspaces, [change.current?.id ?? nobody, id]]) };
  }
  const others = [...state.rules].filter(({ id }) => id !== change.current?.id);
  return {
    ...state,
    rules: change.action === "delete" ? others : [...others, plannedRule(session, planned, change)],
  };
}

const affectsRouting = ({ kind, action, fields }: Change): boolean =>
  kind === "rules" ||
  (kind === "keys" && action === "update" && fields.some(({ field }) => field === "workspace"));

type Subject = Pick<Consequence, "kind" | "name">;

/** The places whose numbers differ, as `DE: 1 -> 4`. */
function placesOf({ residency: { before, after: later } }: SimulationResult): string {
  const places = [...new Set([...Object.keys(before), ...Object.keys(later)])].sort();
  return places
    .filter((place) => before[place] !== later[place])
    .map((place) => `${place}: ${before[place] ?? 0} -> ${later[place] ?? 0}`)
    .join(", ");
}

function effectsOf({ kind, name }: Subject, result: SimulationResult): Consequence[] {
  const { considered, refused, moved_count, moved, cost_eur_before, cost_eur_after, cost_eur_change } =
    result;
  const add = (code: string, requests: number, message: string) =>
    requests > 0 ? [{ code, kind, name, requests, message }] : [];
  const moves = moved.slice(0, 5).map(({ from, to, count }) => `${from} -> ${to} (${count})`);
  const places = placesOf(result);
  const costDiffers = Number(cost_eur_change) !== 0;
  return [
    ...add("rule_refuses", refused, `${refused} of ${counted(considered)} would have been refused`),
    ...add(
      "rule_moves",
      moved_count,
      `${counted(moved_count)} would have run at another provider: ${moves.join(", ")}`,
    ),
    ...add("rule_places", places === "" ? 0 : moved_count, `Requests would have run elsewhere: ${places}`),
    ...add(
      "rule_cost",
      costDiffers ? moved_count : 0,
      `The cost would have been EUR ${cost_eur_after}, not EUR ${cost_eur_before}`,
    ),
  ];
}

export interface RoutingConsequences {
  readonly consequences: Consequence[];
  readonly truncated: boolean;
}

/**
 * What changed rules, and keys that move to another workspace, would have made of recorded requests: each change alone,
 * and all of them together.
 */
export async function routingConsequences(
  deps: SimulationDeps,
  session: Session,
  planned: PlannedFile,
  sinceMs: number,
): Promise<RoutingConsequences> {
  const changes = planned.changes.filter(affectsRouting);
  if (changes.length === 0) return { consequences: [], truncated: false };
  const { routedMax, routedChangesMax } = limits.configuration;
  const today = await routingState(session.database, session.caller);
  const alone = changes.length <= routedChangesMax ? changes : [];
  const simulated: { name: string; subject: Subject; state: RoutingState }[] = alone.map((change, at) => ({
    name: String(at),
    subject: change,
    state: after(session, planned, today, change),
  }));
  if (changes.length > 1) {
    const together = changes.reduce((state, change) => after(session, planned, state, change), today);
    simulated.push({
      name: "all",
      subject: { kind: "rules", name: "all changes of routing together" },
      state: together,
    });
  }
  const results = await simulateStates(deps, session.as("routing:read"), {
    sinceMs,
    generationsMax: Math.floor(routedMax / simulated.length),
    today,
    states: new Map(simulated.map(({ name, state }) => [name, state])),
  });
  const consequences = simulated.flatMap(({ name, subject }) => {
    const result = results.get(name);
    return result ? effectsOf(subject, result) : [];
  });
  return { consequences, truncated: [...results.values()].some(({ truncated }) => truncated) };
}
