import { z } from "zod";
import { AlertChannelCreate } from "./alert-channel.ts";
import { AlertRuleCreate } from "./alert-rule.ts";
import { BudgetCreate } from "./budget.ts";
import { catalogueForms, credentialForm, tagForm } from "./configuration-catalogue.ts";
import {
  type ConfigurationForm,
  formOf,
  type IdOf,
  type Referred,
  type Values,
} from "./configuration-form.ts";
import { DestinationCreate } from "./destination.ts";
import { ApiKeyCreate } from "./key.ts";
import { PresetCreate } from "./preset.ts";
import { RoutingRuleCreate } from "./routing-rule.ts";
import { SecretReference } from "./secret-reference.ts";
import { WorkspaceCreate } from "./workspace.ts";

const workspace = {
  as: "workspace",
  to: "workspaces",
  description: "Name of the workspace; absent for the whole organisation.",
} as const;

export const dimensionReferences: Readonly<Record<string, Referred>> = {
  workspace: "workspaces",
  key: "keys",
  person: "people",
};

const Dimensions = z.array(z.object({ dimension: z.string(), value: z.string().nullable() }));

/** Budgets refer to workspaces and keys by name, and to people by e-mail address. */
function budgetDimensions(values: Values, idOf: IdOf): Values {
  const dimensions = Dimensions.safeParse(values.dimensions).data;
  if (!dimensions) return values;
  return {
    ...values,
    dimensions: dimensions.map(({ dimension, value }, at) => {
      const to = dimensionReferences[dimension];
      const path = ["dimensions", at, "value"];
      return { dimension, value: to && value !== null ? idOf(to, value, path) : value };
    }),
  };
}

/** A rule about one budget names it in `settings.budget`. */
function alertBudget(values: Values, idOf: IdOf): Values {
  const settings = z.record(z.string(), z.unknown()).safeParse(values.settings).data;
  if (!settings || typeof settings.budget !== "string") return values;
  const { budget, ...others } = settings;
  const budget_id = idOf("budgets", budget, ["settings", "budget"]);
  return { ...values, settings: { ...others, budget_id } };
}

/** In place of an address while the other fields are checked. */
const someAddress = "https://alerts.example.eu";

/** The kinds of resources of a configuration file, in the order in which they can refer to each other. */
export const configurationForms = {
  workspaces: formOf({ create: WorkspaceCreate, references: {} }),
  keys: formOf({
    create: ApiKeyCreate,
    references: {
      workspace_id: { ...workspace, description: "Name of the workspace the key belongs to." },
      service_account_id: {
        as: "service_account",
        to: "service_accounts",
        description: "Name of the service account that owns the key; absent for whoever applies the file.",
      },
    },
    own: {
      secret: SecretReference.nullish().describe(
        "Where the key itself is read when it is created: `env:NAME` or `file:PATH`. Without it, a key is generated " +
          "and shown once.",
      ),
    },
  }),
  ...catalogueForms,
  credentials: credentialForm,
  rules: formOf({
    create: RoutingRuleCreate.extend({
      scope: z
        .enum(["org", "workspace", "api_key"], { error: "must be org, workspace or api_key" })
        .default("org")
        .describe("Whose requests the rule applies to: the organisation, a workspace or an API key."),
    }),
    references: {
      workspace_id: workspace,
      api_key_id: { as: "key", to: "keys", description: "Name of the API key, for scope `api_key`." },
    },
    without: ["org_id"],
  }),
  destinations: formOf({
    create: DestinationCreate,
    references: {
      workspace_id: workspace,
      api_key_filter: {
        as: "keys",
        to: "keys",
        description: "Names of the API keys whose traces are sent; absent for all.",
      },
    },
    without: ["org_id"],
  }),
  budgets: formOf({ create: BudgetCreate, references: {}, nested: budgetDimensions }),
  presets: formOf({ create: PresetCreate, references: { workspace_id: workspace } }),
  alert_channels: formOf({
    create: AlertChannelCreate,
    references: {},
    without: ["address", "signing_secret"],
    own: {
      address: AlertChannelCreate.shape.address.describe(
        "The e-mail address, or the address of the webhook: `env:NAME` or `file:PATH` if it contains a secret.",
      ),
      signing_secret: SecretReference.nullish().describe("Secret of a webhook, as a reference."),
    },
    nested: (values) => ({ address: someAddress, ...values }),
  }),
  alerts: formOf({
    create: AlertRuleCreate,
    references: {
      channel_ids: {
        as: "channels",
        to: "alert_channels",
        description: "Names of the channels to notify.",
      },
    },
    without: ["muted_until"],
    nested: alertBudget,
  }),
  tags: tagForm,
} as const satisfies Record<string, ConfigurationForm>;

export type ConfigurationKind = keyof typeof configurationForms;
// `Object.keys` has no type for the keys of a constant.
export const configurationKinds = Object.keys(configurationForms) as ConfigurationKind[];
