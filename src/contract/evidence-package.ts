import { z } from "zod";

/** An evidence package, as a file. */
export const EvidencePackage = z
  .object({
    file_name: z.string().describe("Name for the file."),
    sha256: z.string().describe("SHA-256 of the file, in hexadecimal digits."),
    requests: z.number().int().describe("Number of requests in it."),
    content: z.string().describe("The ZIP archive, as base64."),
  })
  .meta({ id: "EvidencePackage" });
export type EvidencePackage = z.infer<typeof EvidencePackage>;
