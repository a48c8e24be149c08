import { AlertKind, settingsSchemaOf } from "#contract/alert-kind.ts";
import { AlertRuleCreate, AlertRuleUpdate } from "#contract/alert-rule.ts";
import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import { createRule, deleteRule, listRules, updateRule } from "#server/alerts/index.ts";
import { AppError, validationError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { assertReadable, changedInput, everyPage, type Kind, textOf } from "../kind.ts";
import type { Session } from "../session.ts";
import { isRecord } from "../values.ts";

const form = configurationForms.alerts;
const defaults = { scope: "organisation", enabled: true, channels: [] };
/** In place of the ID of the budget that a rule names. */
const someId = "00000000-0000-4000-8000-000000000000";

/** A set of names. */
const sorted = (names: unknown): string[] => (Array.isArray(names) ? [...new Set<string>(names)].sort() : []);

/** The settings with all defaults. Throws BAD_REQUEST naming the field. */
function completeSettings({ kind, settings }: Values): Record<string, unknown> {
  const { budget, ...given } = isRecord(settings) ? settings : {};
  const parsed = settingsSchemaOf(AlertKind.parse(kind)).safeParse({
    ...given,
    ...(budget !== undefined && { budget_id: someId }),
  });
  if (!parsed.success) {
    const { message, param } = validationError(parsed.error);
    throw new AppError("BAD_REQUEST", `settings.${message}`, { param: `settings.${param}` });
  }
  const { budget_id: _, ...complete } = parsed.data as Record<string, unknown>;
  return { ...complete, ...(budget !== undefined && { budget }) };
}

/** Settings with the name of their budget. */
function named({ names }: Session, { budget_id: id, ...settings }: Record<string, unknown>) {
  return typeof id === "string" ? { ...settings, budget: names.nameOf("budgets", id) } : settings;
}

export const alerts: Kind = {
  kind: "alerts",
  form,
  permissions: { read: "alerts:read", write: "alerts:write", delete: "alerts:write" },
  secretFields: [],
  defaults,
  fixed: ["kind", "scope"],
  isReplaced: true,
  comment: "Alert rules. `channels` are notified; `settings.budget` names one budget.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: () => null,
  async read(session) {
    const reader = session.as("alerts:read");
    const rows = await everyPage((paging) => listRules(session.alerts, reader, paging), limits.lists.rowsMax);
    for (const { name, problem } of rows) assertReadable("alert rule", name, problem);
    return rows.map(({ id, name, kind, scope, settings, channel_ids, enabled }) => ({
      id,
      values: {
        name,
        kind,
        scope,
        settings: named(session, isRecord(settings) ? settings : {}),
        channels: sorted(channel_ids.map((channel) => session.names.nameOf("alert_channels", channel))),
        enabled,
      },
    }));
  },
  comparable: (_, values) => ({
    ...values,
    settings: completeSettings(values),
    channels: sorted(values.channels),
  }),
  create({ alerts: deps, as, names }, values) {
    const complete = { ...values, settings: completeSettings(values) };
    const input = form.input(complete, (...reference) => names.idOf(...reference));
    return createRule(deps, as("alerts:write"), AlertRuleCreate.parse(input));
  },
  async update(session, difference) {
    // A setting that the file does not have has its default again.
    const values = {
      ...difference.values,
      settings: { budget_id: null, ...completeSettings(difference.values) },
    };
    const { settings, ...input } = changedInput({ form, defaults }, session, { ...difference, values });
    const isAboutBudget = "budget_id" in settingsSchemaOf(AlertKind.parse(difference.values.kind)).shape;
    const { budget_id, ...others } = isRecord(settings) ? settings : {};
    await updateRule(
      session.alerts,
      session.as("alerts:write"),
      AlertRuleUpdate.parse({
        ...input,
        id: difference.id,
        ...(settings !== undefined && { settings: isAboutBudget ? { ...others, budget_id } : others }),
      }),
    );
  },
  remove: ({ alerts: deps, as }, id) => deleteRule(deps, as("alerts:write"), id),
};
