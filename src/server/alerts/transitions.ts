import type { Condition } from "./kind.ts";

/** An incident that is open. */
export interface OpenIncident {
  readonly id: string;
  readonly subject: string;
  /** Whether its channels were notified. False while the rule or the subject is muted. */
  readonly notified: boolean;
}

export interface Transitions<Incident extends OpenIncident> {
  readonly opened: readonly Condition[];
  readonly resolved: readonly Incident[];
  /** Open incidents whose channels are notified now, because nothing mutes them any more. */
  readonly announced: readonly Incident[];
}

/** What changes: each subject opens once while its condition holds, and resolves once when it does not any more. */
export function transitionsOf<Incident extends OpenIncident>(
  conditions: readonly Condition[],
  open: readonly Incident[],
  { isMuted, openMax }: { readonly isMuted: (subject: string) => boolean; readonly openMax: number },
): Transitions<Incident> {
  const wrong = new Map(conditions.map((condition) => [condition.subject, condition]));
  const known = new Set(open.map(({ subject }) => subject));
  const remaining = open.filter(({ subject }) => wrong.has(subject));
  return {
    opened: [...wrong.values()]
      .filter(({ subject }) => !known.has(subject))
      .slice(0, Math.max(0, openMax - remaining.length)),
    resolved: open.filter(({ subject }) => !wrong.has(subject)),
    announced: remaining.filter(({ notified, subject }) => !notified && !isMuted(subject)),
  };
}

export const changesNothing = ({ opened, resolved, announced }: Transitions<OpenIncident>): boolean =>
  opened.length + resolved.length + announced.length === 0;
