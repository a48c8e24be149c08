"use client";

import { TextInput } from "@mantine/core";
import { debounce, parseAsString, useQueryState } from "nuqs";
import { useEffect } from "react";
import { replaceWith } from "#app/_lib/navigate.ts";

const typingMs = 250;

/** Searches all documents: the server renders what it finds for the query in the URL. */
export function DocsSearch() {
  const [query, setQuery] = useQueryState("q", parseAsString.withDefault("").withOptions({ shallow: false }));
  // The reference was at this address once.
  useEffect(() => {
    if (window.location.hash !== "") replaceWith(`/docs/reference${window.location.hash}`);
  }, []);
  return (
    <TextInput
      label="Search the documentation"
      placeholder="zero data retention, streaming, backup…"
      type="search"
      data-search
      maxLength={100}
      value={query}
      onChange={({ currentTarget: { value } }) =>
        void setQuery(value === "" ? null : value, { limitUrlUpdates: debounce(typingMs) })
      }
    />
  );
}
