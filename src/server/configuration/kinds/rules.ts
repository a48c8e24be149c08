import { configurationForms } from "#contract/configuration-kinds.ts";
import { RoutingRuleCreate, RoutingRuleUpdate } from "#contract/routing-rule.ts";
import { limits } from "#server/platform/limits.ts";
import { nameKey } from "#server/platform/name-key.ts";
import { createRule, listRules, removeRule, ruleModels, updateRule } from "#server/policy/index.ts";
import { assertReadable, changedInput, everyPage, type Kind, textOf, workspaceField } from "../kind.ts";

const form = configurationForms.rules;
const defaults = { scope: "org", enabled: true, auto_apply: true };

/** Names are unique for the organisation, for each workspace and for each key. */
const ownerOf: Record<string, (values: Readonly<Record<string, unknown>>) => string> = {
  workspace: ({ workspace }) => ` (workspace ${textOf(workspace)})`,
  api_key: ({ key }) => ` (key ${textOf(key)})`,
};

const isModelList = (value: unknown): value is string[] => Array.isArray(value);

export const rules: Kind = {
  kind: "rules",
  form,
  permissions: { read: "routing:read", write: "routing:write", delete: "routing:delete" },
  secretFields: [],
  defaults,
  fixed: ["workspace"],
  isReplaced: true,
  comment:
    "Routing rules of the organisation, of workspaces and of API keys. Rules of one person are not listed.",
  identify(values) {
    const place = ownerOf[textOf(values.scope)]?.(values) ?? "";
    return { key: nameKey(textOf(values.name)) + place, name: textOf(values.name) + place };
  },
  workspaceOf: workspaceField,
  async read({ database, as, names }) {
    const reader = as("routing:read");
    const rows = await everyPage(
      (paging) => listRules(database, reader, { ...paging, include_disabled: true }),
      limits.lists.rowsMax,
    );
    const listed = rows.filter(({ scope }) => scope !== "user");
    for (const { name, problem } of listed) assertReadable("routing rule", name, problem);
    return listed.map(
      ({ id, name, description, scope, model, models, provider, enabled, auto_apply, ...row }) => ({
        id,
        values: {
          name,
          description,
          scope,
          model,
          models,
          provider,
          enabled,
          auto_apply,
          workspace: row.workspace_id && names.nameOf("workspaces", row.workspace_id),
          key: row.api_key_id && names.nameOf("keys", row.api_key_id),
        },
      }),
    );
  },
  comparable({ later, caller }, values, current) {
    const { model, models } = current?.values ?? {};
    const asWritten = [textOf(model), ...(isModelList(models) ? models : [])];
    const named = {
      model: textOf(values.model) || null,
      models: isModelList(values.models) ? values.models : null,
    };
    return { ...values, ...ruleModels(later.of(caller.orgId), named, { asWritten }) };
  },
  async create({ database, as, later, caller, names }, values) {
    const input = RoutingRuleCreate.parse(form.input(values, (...reference) => names.idOf(...reference)));
    return createRule(database, later.of(caller.orgId), as("routing:write"), input);
  },
  async update(session, difference) {
    const { database, as, later, caller } = session;
    const input = RoutingRuleUpdate.parse({
      ...changedInput({ form, defaults }, session, difference),
      id: difference.id,
    });
    await updateRule(database, later.of(caller.orgId), as("routing:write"), input);
  },
  remove: ({ database, as }, id) => removeRule(database, as("routing:delete"), id),
};
