import { SearchQuery, SearchResult } from "#contract/search.ts";
import { searchAll } from "../search.ts";
import { permitted, router } from "../trpc.ts";

export const searchRouter = router({
  /** What the console's palette finds; further kinds with the permission for each. */
  all: permitted("activity:read", "workspace")
    .input(SearchQuery)
    .output(SearchResult)
    .query(async ({ ctx: { services, caller }, input }) => ({
      data: await searchAll(services, caller, input.text),
    })),
});
