import type { AlertSettings } from "#contract/alert-kind.ts";
import { Prisma } from "#generated/prisma/client.ts";

/** What has a limit that can be watched. */
export type LimitOwner = "budget" | "key" | "workspace" | "organisation" | "key_rate" | "organisation_rate";

type Watched = AlertSettings<"budget" | "limit_refusals">["of"];

/** The setting that includes each, and how its limit is called. */
const owners: Record<LimitOwner, { readonly of: Watched; readonly named: (name: string) => string }> = {
  budget: { of: "budgets", named: (name) => `Budget “${name}”` },
  key: { of: "keys", named: (name) => `Limit of key “${name}”` },
  workspace: { of: "workspaces", named: (name) => `Limit of workspace “${name}”` },
  organisation: { of: "organisation", named: (name) => `Credit of ${name}` },
  key_rate: { of: "keys", named: (name) => `Rate limit of key “${name}”` },
  organisation_rate: { of: "organisation", named: (name) => `Rate limit of ${name}` },
};
export const limitOwners = Object.keys(owners) as LimitOwner[];

export const namedLimit = ({ limit_of, name }: { readonly limit_of: LimitOwner; readonly name: string }) =>
  owners[limit_of].named(name);

interface Watching {
  readonly of: Watched;
  readonly budget_id: string | null;
}

/** Whether a rule watches the limits of an owner. One that names a budget watches nothing else. */
export const isWatched = ({ of, budget_id }: Watching, owner: LimitOwner): boolean =>
  budget_id === null ? of === "any" || of === owners[owner].of : owner === "budget";

/** The same as a condition in SQL. */
export const watches = (settings: Watching, owner: LimitOwner): Prisma.Sql =>
  isWatched(settings, owner) ? Prisma.sql`true` : Prisma.sql`false`;
