import type { ModelEntry } from "#contract/catalogue.ts";
import { dateAt, unixSeconds } from "#server/platform/clock.ts";
import type { Model, Retirement } from "./types.ts";

type Announced = Pick<ModelEntry, "deprecation_date" | "expiration_date" | "successor">;

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/**
 * What is announced about the end of a model, with the response headers that report it; null if nothing is. A successor
 * that the catalogue does not have gets no link, because there is nothing to read at its address.
 */
export function retirementOf(entry: Announced, models: ReadonlyMap<string, unknown>): Retirement | null {
  const { deprecation_date: deprecatedOn, expiration_date: expiresOn, successor } = entry;
  if (deprecatedOn === null && expiresOn === null) return null;
  const headers: Record<string, string> = {};
  if (deprecatedOn !== null) headers.deprecation = `@${unixSeconds(startOf(deprecatedOn))}`;
  if (expiresOn !== null) headers.sunset = dateAt(startOf(expiresOn)).toUTCString();
  if (successor !== null && models.has(successor))
    headers.link = `</api/v1/models/${successor}/endpoints>; rel="successor-version"`;
  return { deprecatedOn, expiresOn, successor, headers };
}

/** The announcement as lists of models show it. */
export const retirementFields = ({ retirement }: Pick<Model, "retirement">) => ({
  deprecation_date: retirement?.deprecatedOn ?? null,
  expiration_date: retirement?.expiresOn ?? null,
  successor: retirement?.successor ?? null,
});
