"use client";

import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { SearchHit } from "#contract/search.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { useMay } from "../_lib/use-may.ts";
import { useOwnStorage } from "../_lib/use-own-storage.ts";

const typedMs = 200;
const leastChars = 2;
const recentMax = 5;

type Recent = Pick<SearchHit, "kind" | "name" | "path">;
const none: readonly Recent[] = [];

/** What the palette finds on the server for a text, and what was opened last in this browser. */
export function useSearch(text: string) {
  const maySearch = useMay("activity:read");
  const [debounced] = useDebouncedValue(text.trim(), typedMs);
  const enabled = maySearch && debounced.length >= leastChars;
  const found = useQuery(
    useTRPC().search.all.queryOptions({ text: debounced }, { enabled, staleTime: 10_000, retry: false }),
  );
  const [recent, setRecent] = useOwnStorage<readonly Recent[]>("recent", none);
  return {
    hits: enabled ? (found.data?.data ?? []) : [],
    /** Whether an answer for this text is still to come. */
    isSearching:
      maySearch && text.trim().length >= leastChars && (text.trim() !== debounced || found.isFetching),
    recent: text.trim() === "" ? recent : [],
    remember: ({ kind, name, path }: Recent) =>
      setRecent([{ kind, name, path }, ...recent.filter((one) => one.path !== path)].slice(0, recentMax)),
  };
}
