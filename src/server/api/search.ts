import type { SearchHit } from "#contract/search.ts";
import { authorize } from "#server/access/authorize.ts";
import type { Caller } from "#server/access/caller.ts";
import type { Permission } from "#server/access/permissions.ts";
import { workspaceOf } from "#server/access/scope.ts";
import { listMembers, listWorkspaces } from "#server/accounts/index.ts";
import { listGenerations } from "#server/activity/index.ts";
import { listBudgets } from "#server/budgets/index.ts";
import { listDestinations } from "#server/destinations/index.ts";
import { findKeys } from "#server/keys/index.ts";
import { limits } from "#server/platform/limits.ts";
import { listRules } from "#server/policy/index.ts";
import { listPresets } from "#server/presets/index.ts";
import { catalogueFor } from "./catalogue-for.ts";
import type { Services } from "./services.ts";

const { perKindMax } = limits.search;

interface Found {
  readonly id: string;
  readonly name: string;
}

/** Something that can be found by name, and the page that shows it. */
interface Kind {
  readonly kind: string;
  readonly permission: Permission;
  /** Rows of the organisation, which keys of a workspace cannot read. */
  readonly isOrganisationWide?: true;
  readonly path: (id: string) => string;
  readonly find: (services: Services, caller: Caller, text: string) => Promise<readonly Found[]>;
}

const speaks =
  (text: string) =>
  ({ id, name }: Found): boolean =>
    `${name}\n${id}`.toLowerCase().includes(text.toLowerCase());

const window = { limit: perKindMax } as const;

const kinds: readonly Kind[] = [
  {
    kind: "Request",
    permission: "activity:read",
    path: (id) => `/logs?open=${id}`,
    find: async ({ database }, caller, text) => {
      const reader = authorize(caller, "activity:read", "workspace");
      const { data } = await listGenerations(database, reader, { find: text, limit: perKindMax });
      return data.map(({ id, model }) => ({ id, name: `${model}, ${id}` }));
    },
  },
  {
    kind: "API key",
    permission: "keys:read",
    path: (hash) => `/keys?open=${hash}`,
    find: ({ database }, caller, text) =>
      findKeys(database, authorize(caller, "keys:read", "workspace"), text, perKindMax),
  },
  {
    kind: "Model",
    permission: "activity:read",
    path: (id) => `/models?open=${encodeURIComponent(id)}`,
    find: async (services, caller, text) =>
      [...catalogueFor(services, caller).models.values()].filter(speaks(text)),
  },
  {
    kind: "Provider",
    permission: "activity:read",
    path: (slug) => `/providers?open=${encodeURIComponent(slug)}`,
    find: async (services, caller, text) =>
      [...catalogueFor(services, caller).providers.values()]
        .map(({ slug, name }) => ({ id: slug, name }))
        .filter(speaks(text)),
  },
  {
    kind: "Routing rule",
    permission: "routing:read",
    path: (id) => `/routing-rules?edit=${id}`,
    find: async ({ database }, caller, search) => {
      const reader = authorize(caller, "routing:read", "workspace");
      return (await listRules(database, reader, { ...window, search, scope: "all" })).data;
    },
  },
  {
    kind: "Preset",
    permission: "workspaces:read",
    path: (slug) => `/presets?open=${encodeURIComponent(slug)}`,
    find: async ({ database }, caller, search) => {
      const reader = authorize(caller, "workspaces:read", "workspace");
      const { data } = await listPresets(database, reader, { ...window, search });
      return data.map(({ name }) => ({ id: name, name }));
    },
  },
  {
    kind: "Member",
    permission: "members:read",
    isOrganisationWide: true,
    path: () => "/settings/members",
    find: async ({ database }, caller, text) => {
      const members = await listMembers(database, authorize(caller, "members:read", "organisation"));
      return members
        .map(({ user_id, name, email }) => ({
          id: user_id,
          name: email === null ? name : `${name}, ${email}`,
        }))
        .filter(speaks(text));
    },
  },
  {
    kind: "Workspace",
    permission: "workspaces:read",
    path: () => "/settings/workspaces",
    find: async ({ database }, caller, text) => {
      const { data } = await listWorkspaces(database, authorize(caller, "workspaces:read", "workspace"), {});
      return data.filter(speaks(text));
    },
  },
  {
    kind: "Budget",
    permission: "workspaces:read",
    isOrganisationWide: true,
    path: (id) => `/budgets?edit=${id}`,
    find: async ({ database }, caller, search) => {
      const reader = authorize(caller, "workspaces:read", "organisation");
      return (await listBudgets(database, reader, { ...window, search })).data;
    },
  },
  {
    kind: "Destination",
    permission: "broadcast:read",
    path: (id) => `/destinations?open=${id}`,
    find: async ({ destinations }, caller, text) => {
      const reader = authorize(caller, "broadcast:read", "workspace");
      return (await listDestinations(destinations.deps, reader, {})).data.filter(speaks(text));
    },
  },
];

/** Finds what the caller may see by name or ID, a few of each kind. */
export async function searchAll(services: Services, caller: Caller, text: string): Promise<SearchHit[]> {
  const allowed = kinds.filter(
    ({ permission, isOrganisationWide }) =>
      caller.permissions.has(permission) && !(isOrganisationWide && workspaceOf(caller) !== null),
  );
  const found = await Promise.all(
    allowed.map(async ({ kind, path, find }) =>
      (await find(services, caller, text))
        .slice(0, perKindMax)
        .map(({ id, name }) => ({ kind, id, name, path: path(id) })),
    ),
  );
  return found.flat();
}
