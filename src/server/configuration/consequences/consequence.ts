import type { Consequence } from "#contract/configuration.ts";
import type { Values } from "#contract/configuration-form.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import type { Change } from "../plan.ts";
import type { Session } from "../session.ts";
import type { Traffic } from "./traffic.ts";

export interface Evaluation {
  readonly session: Session;
  readonly traffic: Traffic;
}

/** The consequences of one change of a kind of resource. */
export type Evaluate = (evaluation: Evaluation, change: Change) => Promise<Consequence[]>;

export const days = "in the last 30 days";

export const eur = (pico: bigint): string => `EUR ${decimalFromPico(pico, 6)}`;

export const counted = (count: number, what = "request"): string =>
  `${count} ${what}${count === 1 ? "" : "s"}`;

/** A consequence of a change, or none if it concerns no request. */
export function consequence(change: Change, code: string, requests: number, message: string): Consequence[] {
  return requests === 0 ? [] : [{ code, kind: change.kind, name: change.name, requests, message }];
}

export interface Transition {
  readonly before: Values;
  readonly after: Values;
  /** Whether a top-level field differs. */
  has(field: string): boolean;
}

/** The values before and after a change; empty where the resource does not exist. */
export function transitionOf({ current, desired, fields }: Change): Transition {
  return {
    before: current?.values ?? {},
    after: desired?.values ?? {},
    has: (field) => fields.some((one) => one.field === field || one.field.startsWith(`${field}.`)),
  };
}

export const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Whether a limit is new or lower. */
export function isTighter(before: unknown, after: unknown): boolean {
  const [one, other] = [numberOf(before), numberOf(after)];
  return other !== null && (one === null || other < one);
}
