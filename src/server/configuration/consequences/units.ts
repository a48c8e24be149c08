import type { Consequence } from "#contract/configuration.ts";
import { type RoutingRuleCreate, RoutingRuleCreate as RuleInput, scopeOf } from "#contract/routing-rule.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import type { RoutingState, Rule } from "#server/policy/index.ts";
import { kindNamed } from "../kinds.ts";
import { isOfCatalogue, laterCatalogues } from "../later.ts";
import type { Change } from "../plan.ts";
import type { PlannedFile } from "../plan-file.ts";
import type { Session } from "../session.ts";

type Subject = Pick<Consequence, "kind" | "name">;

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

/** The routing after one change of a rule or key. */
function after(planned: PlannedFile, state: RoutingState, change: Change): RoutingState {
  const { session } = planned;
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

/** Changes that are simulated as one. */
export interface Unit {
  /** The first part of the codes of its consequences. */
  readonly code: "rule" | "catalogue";
  readonly subject: Subject;
  /** Endpoints whose price or place changes. */
  readonly endpoints: readonly string[];
  readonly state: RoutingState;
}

/** Changes of a provider, its endpoints and its prices have an effect together, and with the models that are new. */
function catalogueUnits({ session, changes, current }: PlannedFile, state: RoutingState): Unit[] {
  const ofCatalogue = changes.filter(({ kind }) => isOfCatalogue(kind));
  const isNewModel = ({ kind, action }: Change) => kind === "models" && action === "create";
  const newModels = ofCatalogue.filter(isNewModel);
  const groups = Map.groupBy(
    ofCatalogue.filter((change) => !isNewModel(change)),
    ({ kind, key }) =>
      kind === "models" ? `models ${key}` : `providers ${key.split(/[/:]| \(/, 1)[0] ?? key}`,
  );
  const { catalogues, caller } = session;
  const today = catalogues.of(caller.orgId);
  const parts = current.filter(({ kind }) => isOfCatalogue(kind));
  return [...groups].map(([name, group]): Unit => {
    const changed = [...newModels, ...group].map(({ kind, key, desired }) => ({
      ...{ kind, key },
      values: desired?.values ?? null,
    }));
    const catalogue = laterCatalogues(catalogues, caller.orgId, parts, changed).of(caller.orgId);
    const space = name.indexOf(" ");
    return {
      code: "catalogue",
      subject: { kind: name.slice(0, space), name: name.slice(space + 1) },
      endpoints: changedIn(today, catalogue),
      state: { ...state, catalogue },
    };
  });
}

const changedIn = (today: Catalogue, later: Catalogue): string[] =>
  [...later.endpoints.values()]
    .filter(({ id, price, countries }) => {
      const before = today.endpoints.get(id);
      if (!before) return false;
      return before.price?.version !== price?.version || before.countries.join() !== countries.join();
    })
    .map(({ id }) => id);

/** Each change of routing alone, if there are not too many, and all of them together. */
export function unitsOf(planned: PlannedFile, today: RoutingState): Unit[] {
  const { session } = planned;
  const changes = planned.changes.filter(affectsRouting);
  const units = [
    ...catalogueUnits(planned, today),
    ...changes.map(
      (change): Unit => ({
        code: "rule",
        subject: change,
        endpoints: [],
        state: after(planned, today, change),
      }),
    ),
  ];
  if (units.length < 2) return units;
  const { orgId } = session.caller;
  const together: Unit = {
    code: "rule",
    subject: { kind: "rules", name: "all changes of routing together" },
    endpoints: changedIn(session.catalogues.of(orgId), session.later.of(orgId)),
    state: changes.reduce<RoutingState>((state, change) => after(planned, state, change), {
      ...today,
      catalogue: session.later.of(orgId),
    }),
  };
  return [...(units.length <= limits.configuration.routedChangesMax ? units : []), together];
}
