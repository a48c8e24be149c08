import { z } from "zod";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { assertLimit, KeyLimit, LimitReset, spendingFields } from "./key.ts";

const Name = z.string().trim().min(1, "must not be empty").max(100, "may have 100 characters at most");
const Description = z.string().max(1000, "may have 1,000 characters at most");

/** A part of an organisation with keys and rules of its own, and a limit on what those keys spend together. */
export const Workspace = z
  .object({
    id: Uuid.describe("ID of the workspace."),
    name: z.string().describe("Name of the workspace."),
    description: z.string().nullable().describe("Description of the workspace; null for none."),
    ...spendingFields,
    created_at: Timestamp.describe("Time the workspace was created."),
    updated_at: Timestamp.describe("Time the workspace was last changed."),
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;

const settable = {
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
  id: Uuid.describe("ID of the workspace."),
  name: Name.optional().describe("New name, unique in the organisation."),
  ...settable,
});
export type WorkspaceUpdate = z.infer<typeof WorkspaceUpdate>;

export const WorkspaceListQuery = Paging;
export type WorkspaceListQuery = z.infer<typeof WorkspaceListQuery>;
