import type { Consequence } from "#contract/configuration.ts";
import { inferencePermissions } from "#contract/permission.ts";
import { picoFromDecimal } from "#server/platform/money.ts";
import type { Change } from "../plan.ts";
import {
  consequence,
  counted,
  days,
  type Evaluate,
  type Evaluation,
  eur,
  isTighter,
  numberOf,
  type Transition,
  transitionOf,
} from "./consequence.ts";
import type { Counted } from "./traffic.ts";

const units: Record<string, Counted["unit"]> = { daily: "day", weekly: "week", monthly: "month" };

/** What a spending limit per period would have refused. */
export async function spendingConsequence(
  { traffic }: Evaluation,
  change: Change,
  filter: Parameters<typeof traffic.excess>[0],
  code: string,
): Promise<Consequence[]> {
  const { before, after, has } = transitionOf(change);
  const limit = numberOf(after.limit);
  if (limit === null || !(isTighter(before.limit, after.limit) || has("limit_reset"))) return [];
  const reset = typeof after.limit_reset === "string" ? after.limit_reset : null;
  const { requests, highest } = await traffic.excess(filter, {
    measure: "eur",
    unit: reset === null ? null : (units[reset] ?? null),
    by: [],
    limit: picoFromDecimal(limit),
  });
  const period = reset === null ? "in total" : `in one period (${reset})`;
  const message = `${counted(requests)} ${days} came after the limit of EUR ${limit} was used up; the highest cost ${period} was ${eur(highest)}`;
  return consequence(change, code, requests, message);
}

async function removed({ session, traffic }: Evaluation, change: Change, id: string): Promise<Consequence[]> {
  const { requests, costPicoEur, lastAt } = await traffic.sums({ keyIds: [id] });
  const where = { maker_id: id, org_id: session.caller.orgId };
  const children = await session.database.prisma.api_key.count({ where });
  const sent = `It sent ${counted(requests)} for ${eur(costPicoEur)} ${days}, the last at ${lastAt?.toISOString()}. They would be refused`;
  const ends = `${counted(children, "key")} that it created end with it`;
  return [
    ...consequence(change, "key_removed", requests, sent),
    ...(children > 0
      ? [{ code: "key_children", kind: change.kind, name: change.name, requests: 0, message: ends }]
      : []),
  ];
}

const permissionsOf = ({ permissions }: Transition["after"]): readonly unknown[] =>
  Array.isArray(permissions) ? permissions : inferencePermissions;

/** Each change of a key that can stop requests. */
const checks: readonly ((evaluation: Evaluation, change: Change, id: string) => Promise<Consequence[]>)[] = [
  async ({ traffic }, change, id) => {
    const { before, after } = transitionOf(change);
    if (after.disabled !== true || before.disabled === true) return [];
    const { requests, costPicoEur } = await traffic.sums({ keyIds: [id] });
    const message = `It sent ${counted(requests)} for ${eur(costPicoEur)} ${days}. They would be refused`;
    return consequence(change, "key_disabled", requests, message);
  },
  async ({ traffic }, change, id) => {
    const { after, has } = transitionOf(change);
    if (!has("expires_at") || typeof after.expires_at !== "string") return [];
    const { requests } = await traffic.sums({ keyIds: [id] });
    const message = `It sent ${counted(requests)} ${days}, and ends at ${after.expires_at}`;
    return consequence(change, "key_expires", requests, message);
  },
  async ({ traffic }, change, id) => {
    const { after, has } = transitionOf(change);
    if (!has("allowed_models") || !Array.isArray(after.allowed_models)) return [];
    const filter = { keyIds: [id], notModels: after.allowed_models };
    const [{ requests }, models] = [await traffic.sums(filter), await traffic.models(filter)];
    const message = `${counted(requests)} ${days} were for models that it may not use any more: ${models.join(", ")}`;
    return consequence(change, "key_models", requests, message);
  },
  async ({ traffic }, change, id) => {
    const { before, after } = transitionOf(change);
    const mayUse = (values: Transition["after"]) => permissionsOf(values).includes("inference:use");
    if (!mayUse(before) || mayUse(after)) return [];
    const { requests } = await traffic.sums({ keyIds: [id] });
    const message = `It sent ${counted(requests)} ${days}. They would be refused without inference:use`;
    return consequence(change, "key_permissions", requests, message);
  },
  (evaluation, change, id) => spendingConsequence(evaluation, change, { keyIds: [id] }, "key_limit"),
  async ({ traffic }, change, id) => {
    const { before, after } = transitionOf(change);
    const limit = numberOf(after.requests_per_minute);
    if (limit === null || !isTighter(before.requests_per_minute, limit)) return [];
    const { requests, highest } = await traffic.excess(
      { keyIds: [id] },
      { measure: "requests", unit: "minute", by: [], limit: BigInt(limit) },
    );
    const message = `${counted(requests)} ${days} exceeded ${limit} in one minute; the most were ${highest}`;
    return consequence(change, "key_rate", requests, message);
  },
  async ({ traffic }, change, id) => {
    const { after, has } = transitionOf(change);
    if (!has("workspace")) return [];
    const { requests, costPicoEur } = await traffic.sums({ keyIds: [id] });
    const place =
      typeof after.workspace === "string" ? `of the workspace "${after.workspace}"` : "of no workspace";
    const message = `Its ${counted(requests)} ${days} (${eur(costPicoEur)}) would have been ${place}, with its rules and limit`;
    return consequence(change, "key_workspace", requests, message);
  },
];

export const keyConsequences: Evaluate = async (evaluation, change) => {
  const id = change.current?.id;
  if (id === undefined) return [];
  if (change.action === "delete") return removed(evaluation, change, id);
  return (await Promise.all(checks.map((check) => check(evaluation, change, id)))).flat();
};
