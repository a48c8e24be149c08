import { z } from "zod";
import { Paging, Timestamp, Uuid } from "./common.ts";
import { demandLimit, KeyLimit, LimitReset, spendingFields } from "./key.ts";

const Name = z.string().trim().min(1, "must not be empty").max(100, "may have 100 characters at most");
const Description = z.string().max(1000, "may have 1,000 characters at most");

/** A part of an organisation with keys and rules of its own, and a limit on what those keys spend together. */
export const Workspace = z
  .object({
    id: Uuid,
    name: z.string(),
    description: z.string().nullable(),
    ...spendingFields,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;

const settable = {
  description: Description.nullish(),
  limit: KeyLimit.nullish(),
  limit_reset: LimitReset.nullish(),
};

export const WorkspaceCreate = z.strictObject({ name: Name, ...settable }).superRefine(demandLimit);
export type WorkspaceCreate = z.infer<typeof WorkspaceCreate>;

/** Only what is sent changes; `null` clears. */
export const WorkspaceUpdate = z.strictObject({ id: Uuid, name: Name.optional(), ...settable });
export type WorkspaceUpdate = z.infer<typeof WorkspaceUpdate>;

export const WorkspaceListQuery = Paging;
export type WorkspaceListQuery = z.infer<typeof WorkspaceListQuery>;
