"use client";

import { Spotlight } from "@mantine/spotlight";
import { useState } from "react";
import { SearchIcon } from "./icons.tsx";
import { usePaletteActions } from "./use-palette-actions.tsx";
import { useSearch } from "./use-search.ts";

/** ⌘K: find something by name or ID, go to a screen, begin something, change the organisation or the theme. */
export function Palette() {
  const [text, setText] = useState("");
  const search = useSearch(text);
  const actions = usePaletteActions(text, search);
  return (
    <Spotlight
      actions={actions.filter((group) => group.actions.length > 0)}
      shortcut="mod + K"
      query={text}
      onQueryChange={setText}
      onSpotlightClose={() => setText("")}
      nothingFound={search.isSearching ? "Searching…" : "No results"}
      highlightQuery
      scrollable
      attributes={{ content: { "aria-label": "Commands" } }}
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: "Search keys, models, rules, IDs, screens and actions…",
        "aria-label": "Search commands",
      }}
    />
  );
}
