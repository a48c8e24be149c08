import { z } from "zod";
import { EntrySection } from "./catalogue-entry.ts";
import { oneOf } from "./catalogue-values.ts";
import { dataList, Paging, Timestamp, Uuid } from "./common.ts";
import { list } from "./list.ts";

/** Characters of a catalogue file. The shipped one has 181,000. */
export const documentCharsMax = 512 * 1024;
const addressCharsMax = 2_000;
const hostCharsMax = 300;
const hostsMax = 200;

const Digest = z.string().regex(/^[0-9a-f]{64}$/, "must be a digest, 64 hexadecimal digits");

export const CatalogueUpdateCreate = z
  .strictObject({
    document: z
      .string()
      .min(1, "must not be empty")
      .max(documentCharsMax, `may have ${documentCharsMax} characters at most`)
      .optional()
      .describe(
        "The catalogue file as JSON text. It is complete, like the shipped one, which it replaces. Either this or `url`.",
      ),
    name: z
      .string()
      .trim()
      .min(1, "must not be empty")
      .max(200, "may have 200 characters at most")
      .optional()
      .describe("What the document is called in lists, such as the name of its file."),
    url: z
      .string()
      .max(addressCharsMax, `may have ${addressCharsMax} characters at most`)
      .regex(/^https?:\/\/\S+$/, "must start with https:// or http://")
      .refine(
        (address) => URL.canParse(address),
        "must be an address such as https://example.eu/catalogue.json",
      )
      .optional()
      .describe(
        "Address of the file. The server reads it once, without following redirects. Private addresses and http need `ALLOW_PRIVATE_HOSTS`.",
      ),
  })
  .refine(({ document, url }) => (document === undefined) !== (url === undefined), {
    path: ["document"],
    error: "give either document or url",
  });
export type CatalogueUpdateCreate = z.infer<typeof CatalogueUpdateCreate>;

export const CatalogueUpdateApply = z.strictObject({
  id: Uuid.describe("ID of the update."),
  compared_with: Digest.nullable().describe(
    "`compared_with` of the update as it was read. If the catalogue is another one by now, nothing changes and the answer is 409. Null to apply the update to whatever the catalogue is.",
  ),
  accept_hosts: list(z.string().max(hostCharsMax))
    .max(hostsMax, `may name ${hostsMax} hosts at most`)
    .default([])
    .describe(
      "The hosts of `new_hosts` that you checked. Requests and stored credentials will be sent there, so all of them must be named.",
    ),
});
export type CatalogueUpdateApply = z.infer<typeof CatalogueUpdateApply>;

/** Groups of differences, in the order in which they are shown. */
export const differenceGroups = [
  ...(["prices", "models", "endpoints", "providers", "facts"] as const),
  ...(["retirement", "addresses", "details", "evidence"] as const),
] as const;
export const DifferenceGroup = oneOf(differenceGroups);
export type DifferenceGroup = z.infer<typeof DifferenceGroup>;

export const differenceChanges = ["added", "removed", "changed"] as const;
export const DifferenceChange = oneOf(differenceChanges);
export type DifferenceChange = z.infer<typeof DifferenceChange>;

const Search = z.string().trim().min(1).max(200);
export const CatalogueUpdateQuery = Paging.extend({
  search: Search.describe("Only updates whose source contains this text, in any case.").optional(),
});
export type CatalogueUpdateQuery = z.infer<typeof CatalogueUpdateQuery>;

export const CatalogueDifferenceQuery = Paging.extend({
  id: Uuid.describe("ID of the update."),
  group: DifferenceGroup.describe("Only differences of this group.").optional(),
  change: DifferenceChange.describe("Only what is added, removed or changed.").optional(),
  search: Search.describe("Only differences whose name or field contains this text, in any case.").optional(),
});
export type CatalogueDifferenceQuery = z.infer<typeof CatalogueDifferenceQuery>;

const Overrider = z.enum(["file", "installation", "price_book"]);

export const CatalogueDifference = z
  .object({
    group: DifferenceGroup.describe("What kind of difference it is."),
    section: z.enum([...EntrySection.options, "exchange_rate"]).describe("What it is about."),
    name: z.string().describe("Slug of the provider, or ID of the model or endpoint."),
    change: DifferenceChange.describe("Whether the entry is new, gone or changed."),
    field: z.string().nullable().describe("The field that changes; null if the entry is new or gone."),
    before: z.json().describe("Value now; of an endpoint that is gone its price, else null."),
    after: z.json().describe("Value after; of a new endpoint its price, else null."),
    overridden_by: Overrider.nullable().describe(
      "What keeps its own value, so that the difference has no effect: `CATALOG_FILE`, an entry of the installation or the price book; null if nothing does.",
    ),
  })
  .meta({ id: "CatalogueDifference" });
export type CatalogueDifference = z.infer<typeof CatalogueDifference>;
export const CatalogueDifferences = dataList(CatalogueDifference);

export const CatalogueUpdateState = z.enum(["proposed", "applied", "undone"]);
export type CatalogueUpdateState = z.infer<typeof CatalogueUpdateState>;

export const CatalogueUpdate = z
  .object({
    id: Uuid.describe("ID of the update."),
    state: CatalogueUpdateState.describe("`proposed` until it is applied; `undone` after it was taken back."),
    in_use: z.boolean().describe("Whether the catalogue in use is based on this document."),
    problem: z
      .string()
      .nullable()
      .describe("Why the document of the newest applied update is not in use; null if there is no problem."),
    source: z.string().describe("Name or address of the file."),
    as_of: z.string().describe("Day of the document."),
    digest: z.string().describe("SHA-256 of the document."),
    created_at: Timestamp.describe("Time the document was uploaded or read."),
    applied_at: Timestamp.nullable().describe("Time it was last applied; null if never."),
    undone_at: Timestamp.nullable().describe("Time it was taken back; null if it was not."),
  })
  .meta({ id: "CatalogueUpdate" });
export type CatalogueUpdate = z.infer<typeof CatalogueUpdate>;
export const CatalogueUpdates = dataList(CatalogueUpdate);

/** Names in one list of the effect. */
export const effectNamesMax = 100;
const names = (what: string) => z.array(z.string()).describe(`${what} The first ${effectNamesMax} of them.`);
const count = (what: string) => z.number().int().describe(what);

export const CatalogueComparison = CatalogueUpdate.extend({
  compared_with: z
    .string()
    .describe(
      "Digest of the document that it is compared with: the one in use, or for the update in use the one before it.",
    ),
  counts: z
    .array(
      z.object({
        group: DifferenceGroup.describe("Group of differences."),
        added: count("New entries."),
        removed: count("Entries that are gone."),
        changed: count("Changed fields."),
      }),
    )
    .describe("How many differences there are; groups without any are left out."),
  new_hosts: z
    .array(
      z.object({
        provider: z.string().describe("Slug of the provider."),
        host: z.string().describe("Host, with a port if it is not the usual one."),
      }),
    )
    .describe(
      "Hosts that requests and stored credentials are not sent to yet. Applying requires to accept them.",
    ),
  unused_entries: z
    .array(
      z.object({
        section: EntrySection.describe("What the entry is about."),
        name: z.string().describe("Name of the entry."),
        problem: z.string().describe("Why it cannot be used any more."),
      }),
    )
    .describe("Entries of the installation that would not be used any more."),
  rules: z
    .object({
      admitted_count: count("Endpoints that become eligible."),
      admitted: names("Their IDs."),
      excluded_count: count("Endpoints that are no longer eligible, or are gone."),
      excluded: names("Their IDs."),
      unserved_count: count("Models that lose their last eligible endpoint."),
      unserved: names("Their IDs."),
    })
    .describe("What changes under the routing rules that apply to all requests of your organisation."),
  other_organisations: z
    .object({
      checked_count: count(
        "Other organisations with routing rules for all their requests, as far as they were checked.",
      ),
      unserved_count: count(
        "Those of them with a model that loses its last eligible endpoint of the installation.",
      ),
    })
    .describe("What changes under the routing rules of other organisations."),
}).meta({ id: "CatalogueComparison" });
export type CatalogueComparison = z.infer<typeof CatalogueComparison>;
