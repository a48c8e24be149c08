import { z } from "zod";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { assertLimit, KeyLimit, LimitReset, spendingFields } from "./key.ts";

const Name = z.string().trim().min(1, "must not be empty").max(100, "may have 100 characters at most");
const Description = z.string().max(1000, "may have 1,000 characters at most");

const slugForm = /^[0-9a-z]+(?:-[0-9a-z]+)*$/;
const slugCharsMax = 50;
const isId = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

export const WorkspaceSlug = z
  .string()
  .max(slugCharsMax, `may have ${slugCharsMax} characters at most`)
  .regex(slugForm, "must be lower-case letters and digits, separated by single hyphens")
  .refine((text) => !isId(text), "must not be a UUID");

/** How paths name a workspace. */
export const WorkspaceRef = z
  .string()
  .max(slugCharsMax, "must be the ID or slug of a workspace")
  .refine((text) => isId(text) || slugForm.test(text), "must be the ID or slug of a workspace")
  .describe("ID or slug of the workspace.");

/** Settings that OpenRouter's clients require and that do not exist here. */
const forClients = {
  created_by: z.null().describe("Always null; the audit log names who created the workspace."),
  default_guardrail_id: z.literal("").describe("Always empty; routing rules replace guardrails."),
  default_text_model: z.null().describe("Always null; routing rules can set a model."),
  default_image_model: z.null().describe("Always null; routing rules can set a model."),
  default_provider_sort: z.null().describe("Always null; routing rules can set an order."),
  include_byok_in_budgets: z
    .literal(false)
    .describe("Always false: requests with own provider credentials do not count towards `limit`."),
  io_logging_api_key_ids: z.null().describe("Always null; prompts and answers are not logged."),
  io_logging_sampling_rate: z.literal(0).describe("Always 0; prompts and answers are not logged."),
  is_data_discount_logging_enabled: z.literal(false).describe("Always false; there is no such discount."),
  is_observability_broadcast_enabled: z
    .literal(false)
    .describe("Always false; see `GET /broadcast-destinations` for destinations of traces."),
  is_observability_io_logging_enabled: z
    .literal(false)
    .describe("Always false; prompts and answers are not logged."),
};

/** A part of an organisation with keys and rules of its own, and a limit on what those keys spend together. */
export const Workspace = z
  .object({
    id: Uuid.describe("ID of the workspace."),
    name: z.string().describe("Name of the workspace."),
    slug: z.string().describe("Name of the workspace in paths; its ID if none was chosen."),
    description: z.string().nullable().describe("Description of the workspace; null for none."),
    ...spendingFields,
    ...forClients,
    created_at: Timestamp.describe("Time the workspace was created."),
    updated_at: Timestamp.describe("Time the workspace was last changed."),
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;

const settable = {
  slug: WorkspaceSlug.optional().describe(
    "Name of the workspace in paths, unique in the organisation: lower-case letters, digits and hyphens.",
  ),
  description: Description.nullish().describe("Description of the workspace; null for none."),
  limit: KeyLimit.nullish().describe(
    "Amount in euros that all keys of the workspace may spend together, up to six decimals; null for no limit.",
  ),
  limit_reset: LimitReset.nullish().describe(
    "How often the limit resets (UTC; weeks start on Monday); null to never reset it. Needs a limit.",
  ),
};

export const WorkspaceCreate = z
  .strictObject({
    name: Name.describe("Name of the workspace, unique in the organisation."),
    ...settable,
  })
  .superRefine(assertLimit);
export type WorkspaceCreate = z.infer<typeof WorkspaceCreate>;

/** Only what is sent changes; `null` clears. */
export const WorkspaceUpdate = z.strictObject({
  id: WorkspaceRef,
  name: Name.optional().describe("New name, unique in the organisation."),
  ...settable,
});
export type WorkspaceUpdate = z.infer<typeof WorkspaceUpdate>;

export const WorkspaceListQuery = Paging;
export type WorkspaceListQuery = z.infer<typeof WorkspaceListQuery>;
