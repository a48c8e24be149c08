import { z } from "zod";

export const SearchQuery = z.object({ text: z.string().trim().min(2).max(200) });

/** Something that the console's search finds by its name or ID. */
export const SearchHit = z.object({
  /** What it is, in words: `API key`. */
  kind: z.string(),
  id: z.string(),
  name: z.string(),
  /** The page of the console that shows it. */
  path: z.string(),
});
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResult = z.object({ data: z.array(SearchHit) });
