import type { SourceEntry } from "#contract/catalogue.ts";
import type { Citation } from "./types.ts";

/** The source of an entry as readable text. */
export type Cite = (source: string | null) => readonly Citation[];

const operator: Citation = { title: "The operator of this installation", url: null };
const organisation: Citation = { title: "Your organisation", url: null };

/**
 * Expands sources. An entry names one or several of the files' table, separated by commas, or describes its source in
 * free text.
 */
export function citing(table: ReadonlyMap<string, SourceEntry>): Cite {
  const words = new Map<string, Citation>([
    ["operator", operator],
    ["organisation", organisation],
  ]);
  for (const [key, { title, url }] of table) words.set(key, { title, url });
  return (source) => {
    if (source === null) return [];
    const named = source.split(",").map((key) => words.get(key.trim()));
    return named.every((one) => one !== undefined) ? named : [{ title: source, url: null }];
  };
}

/** For entries that are in no file. */
export const citeWithoutTable: Cite = citing(new Map());
