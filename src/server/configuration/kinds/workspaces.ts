import { configurationForms } from "#contract/configuration-kinds.ts";
import { WorkspaceCreate, WorkspaceUpdate } from "#contract/workspace.ts";
import { createWorkspace, listWorkspaces, removeWorkspace, updateWorkspace } from "#server/accounts/index.ts";
import { limits } from "#server/platform/limits.ts";
import { changedInput, everyPage, type Kind, textOf } from "../kind.ts";

const form = configurationForms.workspaces;
const defaults = {};

export const workspaces: Kind = {
  kind: "workspaces",
  form,
  permissions: { read: "workspaces:read", write: "workspaces:write", delete: "workspaces:write" },
  secretFields: [],
  defaults,
  fixed: [],
  isReplaced: false,
  comment: "Workspaces: parts of the organisation, which keys, rules, destinations and budgets name.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: ({ name }) => textOf(name),
  async read({ database, as }) {
    const reader = as("workspaces:read");
    const rows = await everyPage((paging) => listWorkspaces(database, reader, paging), limits.lists.rowsMax);
    return rows.map(({ id, name, slug, description, limit, limit_reset }) => ({
      id,
      values: { name, ...(slug !== id && { slug }), description, limit, limit_reset },
    }));
  },
  // A workspace keeps the slug it has.
  comparable: (_, values, current) => ({
    ...values,
    ...(current?.values.slug !== undefined && values.slug === undefined && { slug: current.values.slug }),
  }),
  async create({ database, as, names }, values) {
    const input = WorkspaceCreate.parse(form.input(values, (...reference) => names.idOf(...reference)));
    return createWorkspace(database, as("workspaces:write"), input);
  },
  async update(session, difference) {
    const { database, as } = session;
    const input = WorkspaceUpdate.parse({
      ...changedInput({ form, defaults }, session, difference),
      id: difference.id,
    });
    await updateWorkspace(database, as("workspaces:write"), input);
  },
  remove: ({ database, as }, id) => removeWorkspace(database, as("workspaces:write"), id),
};
