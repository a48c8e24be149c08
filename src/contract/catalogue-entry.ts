import { z } from "zod";
import { JsonObject } from "./bounded.ts";
import { day, text } from "./catalogue-values.ts";
import { dataList, Paging, QueryBoolean, Timestamp, Uuid } from "./common.ts";
import { list } from "./list.ts";

/** The layers of the catalogue. Entries of a later layer add to or replace those of the earlier ones. */
export const catalogueLayers = ["shipped", "update", "file", "installation", "organisation"] as const;
export const CatalogueLayer = z.enum(catalogueLayers);
export type CatalogueLayer = z.infer<typeof CatalogueLayer>;

export const EntryScope = z.enum(["organisation", "installation"], {
  error: "must be organisation or installation",
});
export type EntryScope = z.infer<typeof EntryScope>;

export const EntrySection = z.enum(["provider", "model", "endpoint"], {
  error: "must be provider, model or endpoint",
});
export type EntrySection = z.infer<typeof EntrySection>;

const scopeText =
  "Who is served with it: `organisation` for your organisation, `installation` for all; the latter is only for the organisation that runs the installation.";
const sourceText = "Where the facts and prices come from, such as the title of a contract.";
const asOfText = "Day on which they were checked, such as `2026-11-20`.";
const Source = text.max(300, "may have 300 characters at most");
const AsOf = day.max(10);

/** Entries of one request. A server may list some hundreds of models. */
const entriesMax = 500;
const section = (what: string) =>
  list(JsonObject)
    .max(entriesMax, `may hold ${entriesMax} entries at most`)
    .default([])
    .describe(
      `${what} to add, at most ${entriesMax}, with the fields of a catalogue file. A name that a lower layer has needs only the fields that differ.`,
    );

export const CatalogueEntriesCreate = z
  .strictObject({
    scope: EntryScope.default("organisation").describe(`${scopeText} \`organisation\` if omitted.`),
    source: Source.nullable().default(null).describe(`${sourceText} Applies to those without their own.`),
    as_of: AsOf.nullable().default(null).describe(`${asOfText} Applies to those without their own.`),
    providers: section("Providers"),
    models: section("Models"),
    endpoints: section("Endpoints"),
  })
  .refine(({ providers, models, endpoints }) => providers.length + models.length + endpoints.length > 0, {
    path: ["providers"],
    error: "needs an entry, or models or endpoints",
  });
export type CatalogueEntriesCreate = z.infer<typeof CatalogueEntriesCreate>;

export const CatalogueEntryUpdate = z.strictObject({
  id: Uuid.describe("ID of the entry."),
  entry: JsonObject.optional().describe(
    "The complete new fields. The name of the entry cannot be changed. Unchanged if omitted.",
  ),
  enabled: z
    .boolean()
    .optional()
    .describe("Whether the entry is used. If not, the entry of the lower layer is used, if there is one."),
  source: Source.nullable().optional().describe(sourceText),
  as_of: AsOf.nullable().optional().describe(asOfText),
});
export type CatalogueEntryUpdate = z.infer<typeof CatalogueEntryUpdate>;

const NameSearch = z.string().trim().min(1).max(200);
export const CatalogueEntryQuery = Paging.extend({
  scope: EntryScope.describe("Only entries of this scope.").optional(),
  section: EntrySection.describe("Only providers, models or endpoints.").optional(),
  provider: NameSearch.describe("Only the provider with this slug and its endpoints.").optional(),
  enabled: QueryBoolean.describe("Only enabled or only disabled entries.").optional(),
  search: NameSearch.describe("Only entries whose name contains this text, in any case.").optional(),
});
export type CatalogueEntryQuery = z.infer<typeof CatalogueEntryQuery>;

export const CatalogueEntry = z
  .object({
    id: Uuid.describe("ID of the entry."),
    scope: EntryScope.describe("Who is served with it: your organisation or the complete installation."),
    section: EntrySection.describe("What the entry is about."),
    name: z
      .string()
      .describe("Slug of the provider, or ID of the model or endpoint (`provider[/variant]:model`)."),
    entry: z
      .record(z.string(), z.json())
      .describe("The fields that it sets, as in a catalogue file. Others come from the lower layer."),
    enabled: z.boolean().describe("Whether the entry is used."),
    source: z.string().nullable().describe("Where its facts and prices come from; null if not stated."),
    as_of: z.string().nullable().describe("Day on which they were checked; null if not stated."),
    overrides: CatalogueLayer.nullable().describe(
      "Layer of the entry whose fields it replaces; null if it adds a new one.",
    ),
    problem: z
      .string()
      .nullable()
      .describe("Why the entry is not used although it is enabled; null if there is no problem."),
    created_at: Timestamp.describe("Time the entry was created."),
    updated_at: Timestamp.describe("Time the entry was last changed."),
  })
  .meta({ id: "CatalogueEntry" });
export type CatalogueEntry = z.infer<typeof CatalogueEntry>;

export const CatalogueEntries = dataList(CatalogueEntry);
