import type { Referred } from "#contract/configuration-form.ts";
import { type Authorized, authorize } from "#server/access/authorize.ts";
import type { Permission } from "#server/access/permissions.ts";
import type { OrganisationCaller } from "#server/access/scope.ts";
import type { AlertDeps } from "#server/alerts/index.ts";
import type { Catalogues, LaterCatalogues } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import type { DestinationDeps } from "#server/destinations/index.ts";
import { AppError } from "#server/platform/errors.ts";
import type { Outbound } from "#server/platform/outbound.ts";
import type { Sealer } from "#server/platform/sealing.ts";

/** The caller of a session, authorised for one permission of the kind of a resource. */
type As = <P extends Permission>(permission: P) => Authorized<P, "organisation">;

/** What the configuration is read and changed with, for one caller. */
export interface Session {
  readonly database: Database;
  readonly caller: OrganisationCaller;
  /** Throws FORBIDDEN if the caller does not have the permission. */
  readonly as: As;
  readonly destinations: DestinationDeps;
  readonly alerts: AlertDeps;
  /** The catalogues of today. */
  readonly catalogues: Catalogues;
  /** The catalogues as the file wants them. */
  readonly later: LaterCatalogues;
  readonly outboundFor: (orgId: string | null) => Outbound;
  readonly sealer: Sealer;
  readonly keyPrefix: string;
  readonly names: Names;
  /** Values of secrets by reference. */
  readonly secrets: ReadonlyMap<string, string>;
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** What kinds of things are called in messages. */
const titles: Record<Referred, string> = {
  workspaces: "workspace",
  keys: "API key",
  budgets: "budget",
  alert_channels: "alert channel",
  people: "person with this e-mail address",
  service_accounts: "service account",
};

/** Names of an organisation's resources and their IDs. What has no unique name is named by its ID. */
export class Names {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  add(to: Referred, name: string, id: string): void {
    this.#ids.set(`${to} ${name}`, id);
    this.#names.set(`${to} ${id}`, name);
  }

  /** Whether it is an ID, and nothing has it as its name. */
  isId(to: Referred, name: string): boolean {
    return isUuid(name) && !this.#ids.has(`${to} ${name}`);
  }

  nameOf(to: Referred, id: string): string {
    return this.#names.get(`${to} ${id}`) ?? id;
  }

  find(to: Referred, name: string): string | undefined {
    return this.#ids.get(`${to} ${name}`) ?? (isUuid(name) ? name : undefined);
  }

  isUnknown(to: Referred, name: string): boolean {
    return !this.#ids.has(`${to} ${name}`);
  }

  /** Throws BAD_REQUEST, naming the field, for a name that nothing has. */
  idOf(to: Referred, name: string, path: readonly (string | number)[]): string {
    const id = this.find(to, name);
    if (id !== undefined) return id;
    const param = path.join(".");
    throw new AppError("BAD_REQUEST", `${param}: there is no ${titles[to]} "${name}"`, { param });
  }
}

export interface SessionDeps
  extends Pick<
    Session,
    "database" | "destinations" | "alerts" | "catalogues" | "outboundFor" | "sealer" | "keyPrefix"
  > {}

export const sessionFor = (
  { database, destinations, alerts, catalogues, outboundFor, sealer, keyPrefix }: SessionDeps,
  caller: OrganisationCaller,
  secrets: Readonly<Record<string, string>> = {},
): Session => ({
  database,
  caller,
  as: (permission) => authorize(caller, permission, "organisation"),
  destinations: { ...destinations, database },
  alerts: { ...alerts, database },
  catalogues,
  later: { of: catalogues.of, below: catalogues.below, problems: new Map() },
  outboundFor,
  sealer,
  keyPrefix,
  names: new Names(),
  secrets: new Map(Object.entries(secrets)),
});
