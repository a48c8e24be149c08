import type { SourceEntry } from "#contract/catalogue.ts";
import type { Citation } from "./types.ts";

/** What an entry gives as its source, as people read it. */
export type Cite = (source: string | null) => readonly Citation[];

const operator: Citation = { title: "The operator of this installation", url: null };

/**
 * Spells sources out. An entry names one or several of the files' table, joined by commas, or says in words of its
 * own where it comes from.
 */
export function citing(table: ReadonlyMap<string, SourceEntry>): Cite {
  const words = new Map<string, Citation>([["operator", operator]]);
  for (const [key, { title, url }] of table) words.set(key, { title, url });
  return (source) => {
    if (source === null) return [];
    const named = source.split(",").map((key) => words.get(key.trim()));
    return named.every((one) => one !== undefined) ? named : [{ title: source, url: null }];
  };
}

/** For entries that stand in no file. */
export const citeWithoutTable: Cite = citing(new Map());
