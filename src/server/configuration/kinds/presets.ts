import { configurationForms } from "#contract/configuration-kinds.ts";
import { PresetConfig, PresetCreate, PresetUpdate } from "#contract/preset.ts";
import { limits } from "#server/platform/limits.ts";
import {
  checkedConfig,
  createPreset,
  deletePreset,
  getPreset,
  listPresets,
  updatePreset,
} from "#server/presets/index.ts";
import { assertReadable, changedInput, everyPage, type Kind, textOf, workspaceField } from "../kind.ts";

const form = configurationForms.presets;
const defaults = {};

export const presets: Kind = {
  kind: "presets",
  form,
  permissions: { read: "workspaces:read", write: "workspaces:write", delete: "workspaces:write" },
  secretFields: [],
  defaults,
  fixed: ["workspace"],
  isReplaced: true,
  comment: "Presets. A changed prompt or configuration makes a new version.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: workspaceField,
  async read({ database, as, names }) {
    const reader = as("workspaces:read");
    const rows = await everyPage((paging) => listPresets(database, reader, paging), limits.lists.rowsMax);
    const complete = [];
    for (const { name } of rows) complete.push(await getPreset(database, reader, name));
    for (const { name, designated_version: version } of complete)
      assertReadable("preset", name, version.problem);
    return complete.map(({ id, name, description, workspace_id, designated_version }) => ({
      id,
      values: {
        name,
        description,
        system_prompt: designated_version.system_prompt,
        config: designated_version.config,
        workspace: workspace_id && names.nameOf("workspaces", workspace_id),
      },
    }));
  },
  comparable({ later, caller }, values, current) {
    const catalogue = later.of(caller.orgId);
    const known = PresetConfig.safeParse(current?.values.config).data?.models;
    return { ...values, config: checkedConfig(catalogue, PresetConfig.parse(values.config ?? {}), known) };
  },
  async create({ database, later, caller, as, names }, values) {
    const input = PresetCreate.parse(form.input(values, (...reference) => names.idOf(...reference)));
    return createPreset(database, later.of(caller.orgId), as("workspaces:write"), input);
  },
  async update(session, difference) {
    const { database, later, caller, as } = session;
    const input = PresetUpdate.parse({
      ...changedInput({ form, defaults: { config: {} } }, session, difference),
      slug: difference.values.name,
    });
    await updatePreset(database, later.of(caller.orgId), as("workspaces:write"), input);
  },
  async remove({ database, as, caller }, id) {
    const where = { id, org_id: caller.orgId };
    const { name } = await database.prisma.preset.findFirstOrThrow({ where, select: { name: true } });
    await deletePreset(database, as("workspaces:write"), name);
  },
};
