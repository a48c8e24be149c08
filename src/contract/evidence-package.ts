import { z } from "zod";
import { answered } from "./answered.ts";
import { inOrder, Paging, Timestamp, Uuid } from "./common.ts";
import { DataFlowFilter } from "./data-flows.ts";

export const EvidencePackageCreate = DataFlowFilter.strict().superRefine(inOrder);

export const packageStatuses = ["waiting", "running", "ready", "failed"] as const;

/** An evidence package of a period. */
export const EvidencePackage = z
  .object({
    id: Uuid.describe("ID of the package."),
    filter: answered(DataFlowFilter).describe("The period and the filters."),
    status: z
      .enum(packageStatuses)
      .describe("`waiting`, `running`, `ready` (it can be downloaded) or `failed`."),
    requests: z.number().int().describe("Requests that were read so far, or that it contains."),
    read_until: Timestamp.nullable().describe(
      "Progress: requests of the period that began before this time are read; null before the first step.",
    ),
    file_name: z.string().describe("Name for the file."),
    size_bytes: z.number().int().nullable().describe("Size of the ZIP archive; null until it is ready."),
    sha256: z
      .string()
      .nullable()
      .describe("SHA-256 of the archive in hexadecimal digits; null until it is ready."),
    failure: z.string().nullable().describe("Why it failed; null otherwise."),
    created_by: z.string().describe("ID of the person who asked for it."),
    created_at: Timestamp.describe("When it was asked for."),
    completed_at: Timestamp.nullable().describe("When it was ready, or had failed; null before."),
    expires_at: Timestamp.nullable().describe("When it is deleted; null until it is ready or has failed."),
    problem: z.string().nullable().describe("Why the row cannot be read; null if it can."),
  })
  .meta({ id: "EvidencePackage" });
export type EvidencePackage = z.infer<typeof EvidencePackage>;

export const EvidencePackageListQuery = Paging;
export type EvidencePackageListQuery = z.infer<typeof EvidencePackageListQuery>;

export const EvidencePackageId = z.object({ id: Uuid.describe("ID of the package.") });
