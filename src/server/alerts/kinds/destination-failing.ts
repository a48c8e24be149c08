import type { AlertSettings } from "#contract/alert-kind.ts";
import { type Evaluator, finderOf } from "../kind.ts";

/** A destination that does not accept traces now. */
export interface FailingDestination {
  readonly id: string;
  readonly name: string;
  readonly failing_since: Date | null;
  readonly stopped_reason: string | null;
  readonly last_error: string | null;
}

const minuteMs = 60_000;

export const destinationFailing: Evaluator<
  AlertSettings<"destination_failing">,
  readonly FailingDestination[]
> = {
  read: ({ database }, { orgId }) => database.prisma.$queryRaw<FailingDestination[]>`
    select id, name, failing_since, stopped_reason, last_error from destination
    where org_id = ${orgId}::uuid and enabled and (failing_since is not null or stopped_reason is not null)
    order by id`,
  evaluate: ({ after_minutes }, destinations, { nowMs, open }) =>
    destinations.flatMap(({ id, name, failing_since, stopped_reason, last_error }) => {
      if (stopped_reason !== null)
        return [{ subject: id, title: `Destination “${name}” fails`, detail: `Stopped: ${stopped_reason}` }];
      if (failing_since === null) return [];
      const isLong = nowMs - failing_since.getTime() >= after_minutes * minuteMs;
      if (!isLong && !open.has(id)) return [];
      const reason = last_error === null ? "" : `: ${last_error}`;
      const detail = `No delivery has succeeded since ${failing_since.toISOString()}${reason}`;
      return [{ subject: id, title: `Destination “${name}” fails`, detail }];
    }),
};

export const findFailingDestinations = finderOf("destination_failing", destinationFailing);
