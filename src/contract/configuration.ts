import { z } from "zod";
import { recordOf } from "./bounded.ts";
import { data, Timestamp } from "./common.ts";
import { Name } from "./configuration-form.ts";
import { type ConfigurationKind, configurationForms, configurationKinds } from "./configuration-kinds.ts";
import { list } from "./list.ts";

/** Characters of a configuration file. */
export const fileCharsMax = 256 * 1024;
/** Resources of one kind in a file. */
const resourcesMax = 1_000;

export const configurationVersion = 1;

const section = (kind: ConfigurationKind) =>
  list(configurationForms[kind].schema).max(resourcesMax, "may have 1,000 entries at most").nullish();

// `Object.fromEntries` has no type for the keys of a constant.
const sections = Object.fromEntries(configurationKinds.map((kind) => [kind, section(kind)])) as Record<
  ConfigurationKind,
  ReturnType<typeof section>
>;

/** A configuration file. A section that is absent is left as it is. */
export const ConfigurationFile = z.strictObject({
  version: z.literal(configurationVersion, { error: `must be ${configurationVersion}` }),
  ...sections,
});

const request = {
  file: z
    .string()
    .max(fileCharsMax, "may have 262,144 characters at most")
    .describe("The configuration file: YAML, or JSON."),
  prune: z
    .boolean()
    .default(false)
    .describe("Whether resources that are not in the file are deleted, of the kinds that the file has."),
  workspace: Name.nullish().describe(
    "Name of a workspace: only its resources are compared and changed. Absent for the whole organisation.",
  ),
  secrets: recordOf(z.string().max(8_192, "may have 8,192 characters at most"), {
    max: 500,
    keyCharsMax: 505,
  })
    .default({})
    .describe(
      "Values of the secrets that the file refers to, by reference: `env:NAME` or `file:PATH`. The server reads no " +
        "environment and no file for it.",
    ),
};

export const ConfigurationPlanRequest = z.strictObject(request);
export type ConfigurationPlanRequest = z.infer<typeof ConfigurationPlanRequest>;

export const ConfigurationApplyRequest = z.strictObject({
  ...request,
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be the digest of a plan, 64 hexadecimal digits")
    .nullable()
    .describe(
      "Digest of the plan. If the plan is another one by now, nothing is changed and the answer is 409. Null to apply " +
        "whatever the plan is.",
    ),
});
export type ConfigurationApplyRequest = z.infer<typeof ConfigurationApplyRequest>;

export const ConfigurationExportQuery = z.object({
  workspace: Name.describe("Name of a workspace: only its resources are exported.").optional(),
});
export type ConfigurationExportQuery = z.infer<typeof ConfigurationExportQuery>;

export const ChangeAction = z.enum(["create", "update", "replace", "delete"]);
export type ChangeAction = z.infer<typeof ChangeAction>;

const Kind = z.string().describe("Kind of the resource: the section of the file.");
const ResourceName = z
  .string()
  .describe("Name of the resource, with its place if others can have the same name.");

const Change = z.object({
  kind: Kind,
  name: ResourceName,
  action: ChangeAction.describe("`replace` deletes the resource and creates another."),
  fields: z
    .array(
      z.object({
        field: z.string().describe("Name of the field; inner fields are separated by dots."),
        before: z.json().describe("Current value; null if it is not set."),
        after: z.json().describe("Value in the file; null if it is not set. Secrets are masked."),
      }),
    )
    .describe("The fields that differ."),
});

export const Consequence = z.object({
  code: z.string().describe("Kind of the consequence, such as `key_removed`."),
  kind: Kind,
  name: ResourceName,
  requests: z.number().int().describe("How many recorded requests it concerns."),
  message: z.string().describe("What past traffic would have done differently, or what else ends."),
});
export type Consequence = z.infer<typeof Consequence>;

const summary = z
  .object({
    create: z.number().int().describe("Number of resources to create."),
    update: z.number().int().describe("Number of resources to change."),
    replace: z.number().int().describe("Number of resources to delete and create."),
    delete: z.number().int().describe("Number of resources to delete."),
  })
  .describe("Number of changes by action.");

const planned = {
  digest: z.string().describe("Identifies this plan: the file, the current state and the changes."),
  changes: z.array(Change).describe("The changes in the order in which they are applied."),
  summary,
};

export const ConfigurationPlan = z
  .object({
    ...planned,
    unlisted: z
      .array(z.object({ kind: Kind, name: ResourceName }))
      .describe(
        "Resources that exist and are not in the file, of the kinds it has. They stay without `prune`.",
      ),
    consequences: z
      .array(Consequence)
      .describe("What the recorded traffic of the last 30 days would have done differently."),
    secrets: z
      .array(z.string())
      .describe("References of the file whose values were not sent. Stored secrets stay without them."),
    traffic: z
      .object({
        since: Timestamp.describe("Start of the evaluated period."),
        requests: z.number().int().describe("Number of recorded requests in the period."),
        truncated: z.boolean().describe("True if routing was evaluated for the newest requests only."),
      })
      .describe("The recorded traffic."),
  })
  .meta({ id: "ConfigurationPlan" });
export type ConfigurationPlan = z.infer<typeof ConfigurationPlan>;

export const AppliedConfiguration = data(
  z
    .object({
      ...planned,
      keys: z
        .array(
          z.object({
            name: ResourceName,
            key: z.string().describe("The API key itself, which is returned only once."),
          }),
        )
        .describe("The keys that were generated."),
    })
    .meta({ id: "AppliedConfiguration" }),
);
export type AppliedConfiguration = z.infer<typeof AppliedConfiguration>["data"];

export const ExportedConfiguration = data(
  z
    .object({ file: z.string().describe("The configuration file in its canonical form (YAML).") })
    .meta({ id: "ExportedConfiguration" }),
);
